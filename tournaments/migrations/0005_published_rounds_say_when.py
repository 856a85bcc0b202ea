from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0004_when_rounds_were_published"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("published_at", None), ("status", "draft")),
                    models.Q(("published_at__isnull", False), ("status", "published")),
                    _connector="OR",
                ),
                name="round_published_says_when",
            ),
        ),
    ]
