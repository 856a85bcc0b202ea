"""Addresses of events, tables and people."""

from django.urls import path

from tournaments.views import events, people, results

urlpatterns = [
    path("eventi/", events.event_list, name="event_list"),
    path("eventi/<int:pk>/", events.event_detail, name="event"),
    path("tavoli/<int:pk>/", results.table_detail, name="table"),
    path("tavoli/<int:pk>/risultato/", results.table_result, name="table_result"),
    path("tavoli/<int:pk>/anteprima/", results.table_preview, name="table_preview"),
    path("giocatori/", people.player_list, name="player_list"),
    path("giocatori/<int:pk>/invito/", people.player_invite, name="player_invite"),
    path("giocatori/richieste/<int:pk>/", people.claim_decide, name="claim_decide"),
    path("giocatori/sono-io/", people.claim, name="claim"),
    path("inviti/<str:token>/", people.invitation, name="invitation"),
    path("regolamento/", people.regulation, name="regulation"),
]
