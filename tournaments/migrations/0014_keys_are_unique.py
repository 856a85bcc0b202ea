"""A key is of one player, or of one event."""

import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0013_a_key_for_each")]

    operations = [
        migrations.AlterField(
            model_name=name,
            name="key",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        )
        for name in ("player", "event")
    ]
