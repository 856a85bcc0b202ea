"""Each player and each event of before gets a key of its own."""

import uuid

from django.db import migrations


def give(apps, _schema_editor):
    for name in ("Player", "Event"):
        model = apps.get_model("tournaments", name)
        rows = list(model.objects.only("pk"))
        for row in rows:
            row.key = uuid.uuid4()
        model.objects.bulk_update(rows, ["key"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0012_keys_merges_and_files")]

    operations = [migrations.RunPython(give, migrations.RunPython.noop)]
