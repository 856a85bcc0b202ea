"""Settings of the processes that test_kill.py kills: the product's, in a hurry where it waits.

FIGF_TEST_SQLITE is the file of the embedded shape. The outbox is written slowly, so that a kill
falls also in the middle of a decision.
"""

import os
import time
from datetime import timedelta
from typing import Any

from django.apps import AppConfig

from figf.settings import *  # noqa: F403
from figf.settings import CELERY_BEAT_SCHEDULE, DATABASES, EMBEDDED, INSTALLED_APPS

if EMBEDDED:
    DATABASES["default"]["NAME"] = os.environ["FIGF_TEST_SQLITE"]

for line in CELERY_BEAT_SCHEDULE.values():
    line |= {"schedule": timedelta(seconds=0.5), "options": {"expires": 5}}


class Hurried(AppConfig):
    """Not an application: it changes figf.mail in each process as soon as that can be imported."""

    name = "figf.tests"
    label = "figf_tests"

    def ready(self) -> None:
        from figf import mail

        enqueue = mail.enqueue

        def enqueue_slowly(*args: Any, **context: Any) -> Any:
            email = enqueue(*args, **context)
            time.sleep(0.03)
            return email

        mail.FIRST_RETRY = timedelta(seconds=5)
        mail.enqueue = enqueue_slowly


INSTALLED_APPS = [*INSTALLED_APPS, f"{__name__}.Hurried"]
