from datetime import date

from django.db import migrations


def carry_over(apps, _schema_editor):
    """The last ranking recorded becomes an event of the history, of the year before it.

    The ranking is computed from events now: so its points stay in force, and leave in due time.
    """
    ranking = apps.get_model("rankings", "Ranking").objects.order_by("-as_of", "-pk").first()
    if ranking is None:
        return
    year = ranking.as_of.year - 1
    season, _created = apps.get_model("tournaments", "Season").objects.get_or_create(year=year)
    numbers = [0, *season.events.values_list("ordinal", flat=True)]
    event = apps.get_model("tournaments", "Event").objects.create(
        season=season,
        ordinal=max(numbers) + 1,
        name=f"Ranking {ranking.as_of:%Y-%m-%d}",
        kind="live",
        regulation="figf-2006",
        status="closed",
        imported=True,
        starts_on=date(year, 12, 31),
        ends_on=date(year, 12, 31),
    )
    lines = list(ranking.lines.order_by("-points", "pk").values_list("player_id", "points"))
    totals = [points for _player, points in lines]
    apps.get_model("tournaments", "EventPlace").objects.bulk_create(
        apps.get_model("tournaments", "EventPlace")(
            event=event, player_id=player, place=1 + totals.index(points), points=points
        )
        for player, points in lines
    )


class Migration(migrations.Migration):
    dependencies = [
        ("rankings", "0001_rankings_as_imported"),
        ("tournaments", "0010_seasons_closed_events_imported"),
    ]

    operations = [migrations.RunPython(carry_over, migrations.RunPython.noop)]
