"""`manage.py is_empty`: exit status 0 on a database with no data, 1 on one with any."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from figf.models import User
from tournaments.models import Event, Player


def is_empty() -> bool:
    """No log-in, no player and no event: nobody has begun to use this installation."""
    return not any(model.objects.exists() for model in (User, Player, Event))


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_empty():
            sys.exit(1)
