"""The project package and the base app: log-ins, mail, the log, the dice."""

from figf.celery import app as celery_app

__all__ = ["celery_app"]
