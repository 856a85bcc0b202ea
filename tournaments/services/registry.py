"""What the federation registers: clubs, titles, players and the referees among them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date, datetime

from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from figf.errors import Refused
from figf.models import LogEntry, User
from figf.services import rename
from tournaments.models import Ban, Club, Event, Player, RefereeTerm, Removal, Title
from tournaments.rules import names


@transaction.atomic
def register_club(name: str, town: str, by: User, now: datetime) -> Club:
    """A club on the books. Refuses a name already there (`club_exists`)."""
    club, created = Club.objects.get_or_create(name=" ".join(name.split()), defaults={"town": town})
    if not created:
        raise Refused("club_exists", _("This club is already on the books."), field="name")
    LogEntry.objects.record(by, "register_club", club, now)
    return club


@transaction.atomic
def register_title(
    code: str,
    name: str,
    fewest: int,
    most: int,
    by: User,
    now: datetime,
    *,
    cup_title: bool = False,
) -> Title:
    """A railway title and its seats (A-05); `cup_title` says that the cups are played on it too.

    Refuses impossible seats (`title_seats`).
    """
    if not 2 <= fewest <= most:
        raise Refused(
            "title_seats", _("From how many players to how many?"), rule="A-05", field="most"
        )
    title = Title.objects.create(
        code=code, name=name, min_players=fewest, max_players=most, cup_title=cup_title
    )
    LogEntry.objects.record(by, "register_title", title, now)
    return title


# --- players --------------------------------------------------------------------------------------


def lock_players() -> None:
    """Nobody else adds a player before this transaction ends.

    Whether somebody is on the books already is a question about all of them, so the lock is on what
    stands for all of them: the register's own row.
    """
    registers = ContentType.objects.select_for_update(no_key=True)
    registers.get(app_label="tournaments", model="player")


def alike_players(surname: str, name: str) -> list[Player]:
    """Who on the books might be this person, with his club, in alphabetical order."""
    asked = (surname, name)
    everybody = Player.objects.on_the_books().values_list("pk", "surname", "name")
    found = [pk for pk, theirs, first in everybody if names.alike(asked, (theirs, first))]
    return list(Player.objects.filter(pk__in=found).select_related("club"))


def struck_off() -> set[int]:
    """Players whose name appears nowhere, because they are radiated (O-16)."""
    removed = Removal.objects.filter(level=Removal.Level.ALL, lifted_at=None)
    barred = Ban.objects.filter(scope=Ban.Scope.ALL, count=None, lifted_at=None)
    either = Q(pk__in=removed.values("player")) | Q(pk__in=barred.values("player"))
    return set(Player.objects.filter(either).values_list("pk", flat=True))


def off_the_books(player: Player) -> Refused:
    """Why nothing is done with somebody who was merged away or forgotten (`off_the_books`)."""
    return Refused(
        "off_the_books", _("%(player)s is not on the books any more.") % {"player": player}
    )


def refuse_off_the_books(player: Player) -> None:
    """Refuse them, as they are by now, and lock all others: a merge waits for what is written.

    Whoever locks an event does so before.
    """
    known = Player.objects.on_the_books().select_for_update(of=("self",), no_key=True)
    if known.filter(pk=player.pk).first() is None:
        raise off_the_books(player)


@transaction.atomic
def register_player(
    surname: str,
    name: str,
    by: User,
    now: datetime,
    *,
    club: Club | None = None,
    town: str = "",
    nationality: str = "IT",
    email: str = "",
    another: bool = True,
) -> Player:
    """A person on the books. Locks the register.

    Refuses an empty surname (`surname_missing`); and somebody like a player who is there already
    (`maybe_duplicate`), unless whoever asks says that he is `another`.
    """
    surname, name = one_line(surname), one_line(name)
    if not surname:
        raise Refused("surname_missing", _("Write the surname."), field="surname")
    lock_players()
    if not another and alike_players(surname, name):
        raise Refused(
            "maybe_duplicate",
            _("Somebody on the books might be the same person. If not, say so."),
            field="another",
        )
    return write_player(surname, name, by, now, club, town, nationality, email)


def write_player(
    surname: str,
    name: str,
    by: User,
    now: datetime,
    club: Club | None,
    town: str,
    nationality: str,
    email: str,
) -> Player:
    """The row of a new player and its log entry, for services that have asked all there is to."""
    player = Player.objects.create(
        surname=surname,
        name=name,
        sort_key=names.sort_key(surname, name),
        club=club,
        town=one_line(town),
        nationality=nationality,
        email=email.strip().lower(),
    )
    LogEntry.objects.record(by, "register_player", player, now)
    return player


def one_line(text: str) -> str:
    return " ".join(text.split())


AMENDED = ("surname", "name", "club_id", "town", "nationality", "email")


def as_seen(player: Player) -> str:
    """What a page shows of a player, in a word that changes when any of it does."""
    shown = repr([getattr(player, name) for name in AMENDED])
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


@transaction.atomic
def amend_player(
    player: Player,
    seen: str,
    by: User,
    now: datetime,
    *,
    surname: str,
    name: str,
    club: Club | None,
    town: str,
    nationality: str,
    email: str,
) -> Player:
    """Put right what the books say of somebody; who has a log-in is called as on the books.

    `seen` is what `as_seen` said of the player whom the secretary had before his eyes. Locks the
    log-in and the player. The log says which fields changed, never what they hold. Refuses an empty
    surname (`surname_missing`), who is merged or forgotten (`off_the_books`) and a player whom
    somebody else has amended meanwhile (`stale`).
    """
    surname, name = one_line(surname), one_line(name)
    if not surname:
        raise Refused("surname_missing", _("Write the surname."), field="surname")
    if player.user_id is not None:  # first, as whoever joins the two does: nobody waits in a ring
        User.objects.select_for_update(no_key=True).get(pk=player.user_id)
    held = Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player.pk)
    refuse_off_the_books(held)
    if as_seen(held) != seen or held.user_id != player.user_id:
        raise Refused(
            "stale",
            _("Somebody else has amended this player meanwhile: look at what it says now."),
        )
    after = {
        "surname": surname,
        "name": name,
        "club_id": club.pk if club else None,
        "town": one_line(town),
        "nationality": nationality,
        "email": email.strip().lower(),
    }
    changed = [field for field, value in after.items() if getattr(held, field) != value]
    if not changed:
        return held
    for field in changed:
        setattr(held, field, after[field])
    held.sort_key = names.sort_key(surname, name)
    held.save(update_fields=[*changed, "sort_key"])
    if held.user is not None and {"surname", "name"} & set(changed):
        rename(held.user, held.full_name())
    changed = [field.removesuffix("_id") for field in changed]
    LogEntry.objects.record(by, "amend_player", held, now, changed=changed)
    return held


# --- referees -------------------------------------------------------------------------------------


@transaction.atomic
def appoint_referee(
    player: Player, starts_on: date, by: User, now: datetime, *, ends_on: date | None = None
) -> RefereeTerm:
    """`player` holds the qualification of referee (*Arbitro*) from a day on (M-01).

    Locks the player. Refuses days in the wrong order (`dates_reversed`) and a term of which a day
    belongs to another one of his (`terms_overlap`).
    """
    _lock_player(player.pk)
    _refuse_reversed(starts_on, ends_on)
    _refuse_overlap(player.referee_terms.all(), starts_on, ends_on, field="starts_on")
    term = RefereeTerm.objects.create(player=player, starts_on=starts_on, ends_on=ends_on)
    LogEntry.objects.record(by, "appoint_referee", player, now, term=term.pk)
    return term


OVER = (Event.Status.CLOSED, Event.Status.CANCELLED, Event.Status.INVALID)


@transaction.atomic
def end_referee_term(term: RefereeTerm, ends_on: date, by: User, now: datetime) -> RefereeTerm:
    """The last day on which `term` holds (M-01); it can be moved.

    Locks the player. Refuses a day before the first (`dates_reversed`), one that runs into another
    term of his (`terms_overlap`), and to leave an open event, on its first day, with a technical
    director who is no longer a referee (`directs_events`, M-01).
    """
    _lock_player(term.player_id)
    held = RefereeTerm.objects.select_related("player").get(pk=term.pk)
    player = held.player
    _refuse_reversed(held.starts_on, ends_on)
    others = list(player.referee_terms.exclude(pk=held.pk))
    _refuse_overlap(others, held.starts_on, ends_on, field="ends_on")
    after = RefereeTerm(player=player, starts_on=held.starts_on, ends_on=ends_on)
    left = [
        event
        for event in player.directed_events.exclude(status__in=OVER).order_by("starts_on")
        if held.covers(event.starts_on)
        and not any(kept.covers(event.starts_on) for kept in [*others, after])
    ]
    if left:
        raise Refused(
            "directs_events",
            _("%(player)s is the technical director of %(events)s: name another director first.")
            % {"player": player, "events": ", ".join(f"“{event}”" for event in left)},
            rule="M-01",
            field="ends_on",
        )
    held.ends_on = ends_on
    held.save(update_fields=["ends_on"])
    LogEntry.objects.record(by, "end_referee_term", player, now, term=held.pk)
    return held


def _lock_player(pk: int) -> None:
    Player.objects.select_for_update(of=("self",), no_key=True).get(pk=pk)


def _refuse_reversed(starts_on: date, ends_on: date | None) -> None:
    if ends_on is not None and ends_on < starts_on:
        raise Refused("dates_reversed", _("The last day comes before the first."), field="ends_on")


def _refuse_overlap(
    others: Iterable[RefereeTerm], starts_on: date, ends_on: date | None, *, field: str
) -> None:
    for other in others:
        if (ends_on is None or other.starts_on <= ends_on) and (
            other.ends_on is None or starts_on <= other.ends_on
        ):
            raise Refused(
                "terms_overlap",
                _("In those days the player is a referee already."),
                rule="M-01",
                field=field,
            )
