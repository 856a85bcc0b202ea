"""The Celery application; the schedule itself is ``settings.CELERY_BEAT_SCHEDULE``."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "figf.settings")

app = Celery("figf")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
