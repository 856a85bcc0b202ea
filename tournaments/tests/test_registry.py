"""Regulations are found by the slug that events store."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tournaments.rules.figf import FIGF_2006
from tournaments.rules.registry import DEFAULT, REGULATIONS, choices
from tournaments.rules.regulation import Credit, Entrant, Facts, Seat, Table, deal


def test_a_slug_finds_its_regulation() -> None:
    assert REGULATIONS["figf-2006"] is FIGF_2006
    assert {slug: found.slug for slug, found in REGULATIONS.items()} == {"figf-2006": "figf-2006"}


def test_choices_and_default_name_regulations_that_exist() -> None:
    assert choices() == [("figf-2006", "FIGF 2006")]
    assert DEFAULT == "figf-2006"


def test_the_registry_is_not_written_at_run_time() -> None:
    registry: Any = REGULATIONS
    with pytest.raises(TypeError):
        registry["figf-2027"] = FIGF_2006


def test_a_regulation_counts_and_scores_what_was_typed_for_each_seat() -> None:
    """C-01, C-02, C-03: the example of the regulation, by the way that pages go."""
    found = REGULATIONS["figf-2006"]
    assert [field.name for field in found.fields] == ["stocks", "cash"]
    typed: list[Facts] = [
        {"stocks": 6100, "cash": 1400},
        {"stocks": 5000, "cash": 2200, "total": None},
        {"total": 6600},
    ]
    totals = [found.total(facts, seat) for seat, facts in enumerate(typed)]
    assert totals == [7500, 7200, 6600]
    table = Table(tuple(Seat(i, total) for i, total in enumerate(totals)), fewest=2, most=6)
    scores = found.score(table, found.readings)
    assert [str(line.points) for line in scores] == ["1540.00", "960.00", "880.00"]


def test_a_regulation_seats_those_who_are_present() -> None:
    """B-01, B-08, B-09, B-11: seven for a title of three to six, one of them not in the ranking."""
    found = REGULATIONS["figf-2006"]
    points = {"Albani": 12, "Bassi": 80, "Conti": 40, "Greco": 0, "Riva": 9, "Sala": 50, "Villa": 1}
    present = [Entrant(name, name, ranking=ranking) for name, ranking in points.items()]
    tables, *others = found.compositions(len(present), 3, 6, found.readings)
    assert (tables.sizes, others) == ((4, 3), [])
    order = [placed.key for placed in found.order(present, found.readings)]
    assert deal(order, tables.sizes) == (
        ("Bassi", "Sala", "Conti", "Albani"),
        ("Riva", "Villa", "Greco"),
    )


def test_a_regulation_places_and_awards_what_the_tables_credited() -> None:
    """D-01, D-05, G-03: two prove, and two with the same total; the lower ranking is first."""
    found = REGULATIONS["figf-2006"]
    percentiles = {"Bo": ("1540.00", "700.00"), "Riva": ("700.00", "1540.00"), "Sala": ("960.00",)}
    credited = [
        Credit(name, prova, 1, Decimal(percentile))
        for name, obtained in percentiles.items()
        for prova, percentile in enumerate(obtained, start=1)
    ]
    standing = found.standings(credited, {"Bo": 80}, found.readings)
    assert [(row.place, row.key) for row in standing] == [(1, "Riva"), (2, "Bo"), (3, "Sala")]
    assert found.award is not None
    assert found.award(standing, [1, 1], found.readings) == {"Riva": 75, "Bo": 54, "Sala": 39}


def test_no_regulation_has_finer_points_than_the_hundredths_that_are_stored() -> None:
    assert all(r.readings.percentile_decimals <= 2 for r in REGULATIONS.values())
