"""The sweeps that beat, or the embedded scheduler, runs: one line each, no arguments."""

from celery import shared_task
from django.utils import timezone

from figf import mail, services


@shared_task
def deliver_mail() -> None:
    mail.deliver_due(timezone.now())


@shared_task
def reveal_draws() -> None:
    services.reveal_due_draws(timezone.now())


@shared_task
def empty_mails() -> None:
    mail.empty_old(timezone.now())
