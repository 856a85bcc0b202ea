from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0007_confirmed_drafts_need_no_reason"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="event",
            name="event_places_for_a_table",
        ),
        migrations.RemoveConstraint(
            model_name="prova",
            name="prova_single_or_double_round",
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(("capacity", None), ("capacity__gte", 2), _connector="OR"),
                name="event_places_for_a_table",
            ),
        ),
        migrations.AddConstraint(
            model_name="prova",
            constraint=models.CheckConstraint(
                condition=models.Q(("rounds__gte", 1)), name="prova_rounds_from_one"
            ),
        ),
    ]
