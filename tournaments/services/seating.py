"""Who sits where: a round's tables, from the draft to the publication."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from tournaments.models import Event, Holder, Player, Prova, Round, Seat, Table


@transaction.atomic
def seat_round(
    prova: Prova,
    number: int,
    tables: Sequence[Sequence[Player]],
    by: User,
    now: datetime,
    *,
    referees: Sequence[Player | None] = (),
) -> Round:
    """Seat one round as given, table by table in seat order, and publish it.

    Refuses a round that the prova does not have (`no_such_round`, A-04) or that is seated
    (`round_seated`), a player seated twice in it (`seated_twice`, C-03), a player not enrolled
    (`not_enrolled`, C-03) and a table smaller than three or larger than its title admits
    (`seat_count`, C-03).
    """
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=prova.event_id)
    if not 1 <= number <= prova.rounds:
        raise Refused(
            "no_such_round",
            _("This prova has %(rounds)d rounds at most.") % {"rounds": prova.rounds},
            rule="A-04",
        )
    if prova.play_rounds.filter(number=number).exists():
        raise Refused("round_seated", _("This round has its tables already."))
    everybody = [player for table in tables for player in table]
    if len({player.pk for player in everybody}) != len(everybody):
        raise Refused("seated_twice", _("A player is seated twice in this round."), rule="C-03")
    enrolled = set(prova.event.entries.values_list("player_id", flat=True))
    for player in everybody:
        if player.pk not in enrolled:
            raise Refused(
                "not_enrolled", _("%(player)s is not enrolled.") % {"player": player}, rule="C-03"
            )
    fewest, most = prova.title.event_seats()
    for table in tables:
        if not fewest <= len(table) <= most:
            raise Refused(
                "seat_count",
                _("A table of %(title)s has from %(fewest)d to %(most)d players.")
                % {"title": prova.title, "fewest": fewest, "most": most},
                rule="C-03",
            )
    played = Round.objects.create(
        prova=prova,
        number=number,
        status=Round.Status.PUBLISHED,
        starts_at=now,
        published_at=now,
        order_used=[player.pk for player in everybody],
    )
    for index, players in enumerate(tables):
        laid = Table.objects.create(
            round=played,
            number=index + 1,
            started_at=now,
            referee=referees[index] if index < len(referees) else None,
        )
        for position, player in enumerate(players, start=1):
            seat = Seat.objects.create(table=laid, position=position)
            Holder.objects.create(seat=seat, player=player, starts_at=now)
    LogEntry.objects.record(by, "seat_round", played, now)
    return played
