"""Addresses of the ranking."""

from django.urls import path

from rankings import views

urlpatterns = [
    path("ranking/", views.ranking, name="ranking"),
    path("ranking.csv", views.ranking_csv, name="ranking_csv"),
    path("ranking/nuova/", views.ranking_new, name="ranking_new"),
]
