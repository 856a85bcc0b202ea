from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0006_places_of_closed_events"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="result",
            name="correction_has_reason",
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("version", 1),
                    ("state", "draft"),
                    ("entered_by__isnull", False),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="correction_has_reason",
            ),
        ),
    ]
