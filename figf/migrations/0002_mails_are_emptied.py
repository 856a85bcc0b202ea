"""When a mail that was sent long ago lost its words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("figf", "0001_users_outbox_log_dice"),
    ]

    operations = [
        migrations.AddField(
            model_name="email",
            name="emptied_at",
            field=models.DateTimeField(null=True),
        ),
    ]
