"""Addresses of the API, in its first version."""

from django.urls import path

from figf.api import docs, views

urlpatterns = [
    path("schema.json", docs.Schema.as_view(), name="api_schema"),
    path("events/", views.Events.as_view(), name="api_events"),
    path("events/<int:event>/", views.OneEvent.as_view(), name="api_event"),
    path("events/<int:event>/standing/", views.Standing.as_view(), name="api_event_standing"),
    path("tables/<int:table>/", views.OneTable.as_view(), name="api_table"),
    path("players/", views.Players.as_view(), name="api_players"),
    path("players/<int:player>/", views.OnePlayer.as_view(), name="api_player"),
    path("players/<int:player>/results/", views.Results.as_view(), name="api_player_results"),
    path("clubs/", views.Clubs.as_view(), name="api_clubs"),
    path("titles/", views.Titles.as_view(), name="api_titles"),
    path("seasons/", views.Seasons.as_view(), name="api_seasons"),
    path("seasons/<int:year>/absolute/", views.Absolute.as_view(), name="api_absolute"),
    path(
        "seasons/<int:year>/specialties/<slug:code>/",
        views.Specialty.as_view(),
        name="api_specialty",
    ),
    path("ranking/", views.Ranking.as_view(), name="api_ranking"),
    path("honours/", views.Honours.as_view(), name="api_honours"),
    path("publications/", views.Publications.as_view(), name="api_publications"),
    path("publications/<int:number>/", views.OnePublication.as_view(), name="api_publication"),
]
