"""Addresses of events, tables and people."""

from django.urls import path

from tournaments import views

urlpatterns = [
    path("eventi/", views.event_list, name="event_list"),
    path("eventi/<int:pk>/", views.event_detail, name="event"),
    path("tavoli/<int:pk>/", views.table_detail, name="table"),
    path("tavoli/<int:pk>/risultato/", views.table_result, name="table_result"),
    path("tavoli/<int:pk>/anteprima/", views.table_preview, name="table_preview"),
    path("giocatori/", views.player_list, name="player_list"),
    path("giocatori/<int:pk>/invito/", views.player_invite, name="player_invite"),
    path("giocatori/richieste/<int:pk>/", views.claim_decide, name="claim_decide"),
    path("giocatori/sono-io/", views.claim, name="claim"),
    path("inviti/<str:token>/", views.invitation, name="invitation"),
    path("regolamento/", views.regulation, name="regulation"),
]
