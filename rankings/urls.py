"""Addresses of the seasons' standings, cups and teams."""

from django.urls import URLPattern, path

from rankings.views import honours, publications, standings, supercoppa, teams, whatif

urlpatterns: list[URLPattern] = [
    path("classifiche/", standings.standings, name="standings"),
    path("ranking/", standings.ranking, name="ranking"),
    path("ranking.csv", standings.ranking_csv, name="ranking_csv"),
    path("ranking.json", standings.ranking_json, name="ranking_json"),
    path("ranking/<int:pk>/", standings.ranking_player, name="ranking_player"),
    path("ranking/<int:pk>.csv", standings.ranking_player_csv, name="ranking_player_csv"),
    path("stagioni/<int:year>/", standings.season, name="season"),
    path("stagioni/<int:year>/chiusura/", standings.season_close, name="season_close"),
    path("stagioni/<int:year>/assoluta/", standings.absolute, name="absolute"),
    path("stagioni/<int:year>/assoluta.csv", standings.absolute_csv, name="absolute_csv"),
    path("stagioni/<int:year>/assoluta.json", standings.absolute_json, name="absolute_json"),
    path("stagioni/<int:year>/e-se/", whatif.what_if, name="what_if"),
    path("stagioni/<int:year>/specialita/<slug:code>/", standings.specialty, name="specialty"),
    path(
        "stagioni/<int:year>/specialita/<slug:code>.csv",
        standings.specialty_csv,
        name="specialty_csv",
    ),
    path(
        "stagioni/<int:year>/specialita/<slug:code>.json",
        standings.specialty_json,
        name="specialty_json",
    ),
    path("albo/", honours.roll, name="roll_of_honour"),
    path("albo.csv", honours.roll_csv, name="roll_csv"),
    path("albo/scrivi/", honours.honour_new, name="honour_new"),
    path("albo/<int:pk>/togli/", honours.honour_withdraw, name="honour_withdraw"),
    path("pubblicazioni/", publications.publication_list, name="publication_list"),
    path("pubblicazioni/nuova/", publications.publication_new, name="publication_new"),
    path("pubblicazioni/<int:number>/", publications.publication, name="publication"),
    path("pubblicazioni/<int:number>.csv", publications.publication_csv, name="publication_csv"),
    path("squadre/", teams.teams_list, name="teams_list"),
    path("squadre/<int:year>/", teams.teams, name="teams"),
    path("squadre/<int:year>/squadre.csv", teams.teams_csv, name="teams_csv"),
    path("squadre/<int:year>/iscrizione/", teams.team_new, name="team_new"),
    path("squadre/<int:year>/<int:pk>/", teams.team_edit, name="team_edit"),
    path("squadre/<int:year>/<int:pk>/titoli/", teams.team_titles, name="team_titles"),
    path("supercoppa/", supercoppa.supercoppa_list, name="supercoppa_list"),
    path("supercoppa/apertura/", supercoppa.supercoppa_open, name="supercoppa_open"),
    path("supercoppa/<int:year>/", supercoppa.supercoppa, name="supercoppa"),
    path("supercoppa/<int:year>/campo.csv", supercoppa.supercoppa_csv, name="supercoppa_csv"),
    path("supercoppa/<int:year>/<slug:deed>/", supercoppa.supercoppa_deed, name="supercoppa_deed"),
]
