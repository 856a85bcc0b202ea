"""Every address of the site, composed from the apps."""

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

from figf.api import docs
from figf.views import accounts, draws, guides, home, players, regulation, search, trays
from pbem.services import verify
from rankings.services import ELSEWHERE, ranking_before
from tournaments.views import event_files, events, game_files, merges, privacy, seating, standings

BY_RANKING = {"ranking_before": ranking_before}
BEYOND = {"elsewhere": ELSEWHERE}  # nor what cups and publications say of people

urlpatterns = [
    path("", home.home, name="home"),
    path("health/", home.health, name="health"),
    path("lingua/", home.set_language, name="set_language"),
    path("accesso/", accounts.login, name="login"),
    path("uscita/", auth_views.LogoutView.as_view(), name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/email/", accounts.change_email, name="change_email"),
    path("account/email/ritira/", accounts.withdraw_email_change, name="withdraw_email_change"),
    path("account/email/<str:token>/", accounts.confirm_email, name="confirm_email"),
    path("password/", auth_views.PasswordChangeView.as_view(), name="password_change"),
    path(
        "password/fatto/", auth_views.PasswordChangeDoneView.as_view(), name="password_change_done"
    ),
    path("password/dimenticata/", accounts.password_reset, name="password_reset"),
    path(
        "password/dimenticata/inviata/",
        auth_views.PasswordResetDoneView.as_view(),
        name="password_reset_done",
    ),
    path(
        "password/nuova/<uidb64>/<token>/",
        auth_views.PasswordResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path(
        "password/nuova/fatto/",
        auth_views.PasswordResetCompleteView.as_view(),
        name="password_reset_complete",
    ),
    path("dadi/", draws.draw_list, name="draw_list"),
    path("dadi/dice.py", draws.dice_script, name="dice_script"),
    path("dadi/nuovo/", draws.draw_open, name="draw_open"),
    path("dadi/ricevuta/", draws.draw_record, name="draw_record"),
    path("dadi/<int:pk>/", draws.draw_detail, name="draw"),
    path("dadi/<int:pk>/ricevuta.json", draws.draw_receipt, name="draw_receipt"),
    path("posta/", trays.outbox, name="outbox"),
    path("posta/<int:pk>/", trays.outbox_mail, name="outbox_mail"),
    path("posta/<int:pk>/ancora/", trays.outbox_send_again, name="outbox_send_again"),
    path("registro/", trays.log, name="log"),
    path("guida/", guides.guides, name="guides"),
    path("guida/direttore/", guides.guide_page, {"slug": "direttore"}, name="guide"),
    path("guida/<slug:slug>/", guides.guide_page, name="guide_page"),
    path("regolamento/", regulation.regulation, name="regulation"),
    path("regolamento/letture/", regulation.readings, name="readings"),
    path("regolamento/testo/", regulation.regulation_text, name="regulation_text"),
    path("cerca/", search.search, name="search"),
    path("giocatori/<int:pk>/", players.player, name="player"),
    path("giocatori/<int:pk>/risultati.csv", players.player_results_csv, name="player_results_csv"),
    path("giocatori/<int:pk>/contro/<int:other>/", players.head_to_head, name="head_to_head"),
    path("circoli/", players.club_list, name="club_list"),
    path("circoli/<int:pk>/", players.club, name="club"),
    # Who seats by the ranking is handed it from here: tournaments does not know rankings.
    path("prove/<int:pk>/turni/<int:number>/", seating.round_desk, BY_RANKING, name="round_desk"),
    path("eventi/<int:pk>/", events.event_detail, BY_RANKING, name="event"),
    path(
        "eventi/<int:pk>/classifica/", standings.event_standing, BY_RANKING, name="event_standing"
    ),
    path(
        "eventi/<int:pk>/classifica.csv",
        standings.event_standing_csv,
        BY_RANKING,
        name="event_standing_csv",
    ),
    path("eventi/<int:pk>/file/", event_files.event_file, BY_RANKING, name="event_file"),
    path("eventi/<int:pk>/omologazione/", standings.event_close, BY_RANKING, name="event_close"),
    path("tavoli/<int:pk>/file/", game_files.table_file, {"verify": verify}, name="table_file"),
    path("giocatori/doppioni/<int:pk>/annulla/", merges.merge_undo, BEYOND, name="merge_undo"),
    path(
        "giocatori/<int:pk>/unisci/<int:other>/",
        merges.player_merge,
        BY_RANKING | BEYOND,
        name="player_merge",
    ),
    path("giocatori/<int:pk>/dimentica/", privacy.player_forget, BEYOND, name="player_forget"),
    path("turni/<int:pk>/", seating.seating, BY_RANKING, name="seating"),
    path("turni/<int:pk>/modifica/", seating.round_edit, BY_RANKING, name="round_edit"),
    path("turni/<int:pk>/pubblicazione/", seating.round_publish, BY_RANKING, name="round_publish"),
    path("turni/<int:pk>/scarto/", seating.round_discard, BY_RANKING, name="round_discard"),
    path("", include("tournaments.urls")),
    path("", include("rankings.urls")),
    path("", include("pbem.urls")),
    path("api/", docs.api_docs, name="api_docs"),
    path("api/v1/", include("figf.api.urls")),
    path("admin/", admin.site.urls),
]
