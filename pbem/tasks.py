"""The sweep of games by correspondence, as beat or the embedded scheduler runs it."""

from celery import shared_task
from django.utils import timezone

from pbem import services


@shared_task
def sweep_games() -> None:
    services.sweep(timezone.now())
