"""`manage.py check_standings`: what closed seasons keep equals what is computed now.

Prints each difference and ends with an error if there is any.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rankings import services
from tournaments.models import Season


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = services.differences()
        for line in wrong:
            self.stderr.write(line)
        if wrong:
            raise CommandError(f"{len(wrong)} rows differ from what the results give.")
        closed = Season.objects.exclude(closed_at=None).count()
        self.stdout.write(f"{closed} closed seasons, no difference.\n")
