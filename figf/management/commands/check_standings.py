"""`manage.py check_standings`: what is stored of each closed event equals what is computed now.

Prints each difference and ends with an error if there is any.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rankings.services import ranking_at
from tournaments import services
from tournaments.models import Event


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        closed = Event.objects.filter(status=Event.Status.CLOSED).order_by("starts_on", "pk")
        wrong = [
            line
            for event in closed
            for line in services.differences(event, ranking_at(event.starts_on).points)
        ]
        for line in wrong:
            self.stderr.write(line)
        if wrong:
            raise CommandError(f"{len(wrong)} rows differ from what the results give.")
        self.stdout.write(f"{closed.count()} closed events, no difference.\n")
