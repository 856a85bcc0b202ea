from django.db import migrations
from django.db.models import Value
from django.db.models.functions import Coalesce
from django.utils import timezone


def say_when(apps, _schema_editor):
    """Until now a round was published in the moment it was seated, when its play began."""
    published = apps.get_model("tournaments", "Round").objects.filter(status="published")
    published.update(published_at=Coalesce("starts_at", Value(timezone.now())))


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0003_places_waiting_lists_drafts"),
    ]

    operations = [
        migrations.RunPython(say_when, migrations.RunPython.noop),
    ]
