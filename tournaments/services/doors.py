"""A log-in meets a player: by an invitation or by a request, never by name."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from figf import mail
from figf.errors import Refused
from figf.models import LogEntry, User
from figf.services import create_user, rename
from tournaments.models import Claim, Invitation, Player
from tournaments.services.registry import refuse_off_the_books

INVITATION_LASTS = timedelta(days=7)


@transaction.atomic
def invite(player: Player, email: str, by: User, now: datetime) -> Invitation:
    """Send `player` a link that joins one log-in to him, once, within seven days.

    Locks the player; earlier invitations of his are withdrawn. Only the digest of the link's
    secret is kept. Refuses who is merged or forgotten (`off_the_books`) and a player who has a
    log-in (`player_has_login`).
    """
    player = Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player.pk)
    refuse_off_the_books(player)
    _refuse_joined(player)
    player.invitations.filter(used_at=None, withdrawn_at=None).update(withdrawn_at=now)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        player=player,
        email=email.strip().lower(),
        digest=_digest(token),
        created_by=by,
        created_at=now,
        expires_at=now + INVITATION_LASTS,
    )
    mail.enqueue(
        f"invitation:{invitation.pk}",
        invitation.email,
        "invitation",
        now,
        player=player,
        invitation=invitation,
        token=token,
    )
    LogEntry.objects.record(by, "invite", player, now, invitation=invitation.pk)
    return invitation


def read_invitation(token: str, now: datetime) -> Invitation:
    """The open invitation behind a link, or `Refused` (`link_invalid`)."""
    opened = Invitation.objects.select_related("player").filter(digest=_digest(token)).first()
    if opened is None or not opened.is_open(now):
        raise Refused(
            "link_invalid",
            _(
                "This invitation was used, withdrawn, or is more than seven days old. Ask the "
                "secretary for a new one."
            ),
        )
    return opened


@transaction.atomic
def accept_invitation(token: str, user: User, now: datetime) -> Player:
    """Join `user` to the invited player. The link is then spent.

    Locks the log-in and the player. Refuses a link no longer good (`link_invalid`), a player who
    has a log-in (`player_has_login`), a log-in that has a player (`user_has_player`).
    """
    player_pk = read_invitation(token, now).player_id
    _lock(player_pk, user)
    invitation = read_invitation(token, now)  # as it is under the lock
    player = _join(player_pk, user)
    invitation.used_at, invitation.used_by = now, user
    invitation.save(update_fields=["used_at", "used_by"])
    LogEntry.objects.record(user, "accept_invitation", player, now, invitation=invitation.pk)
    return player


@transaction.atomic
def accept_invitation_with_new_login(
    token: str, password: str, language: str, now: datetime
) -> User:
    """Make a log-in on the invited address and join it, in one go.

    Refuses as `accept_invitation`, and an address that already has a log-in (`email_taken`).
    """
    invitation = read_invitation(token, now)
    user = create_user(
        invitation.email, password, invitation.player.full_name(), now, language=language
    )
    accept_invitation(token, user, now)
    return user


@transaction.atomic
def claim(player: Player, user: User, note: str, now: datetime) -> Claim:
    """`user` asks to be joined to `player`; a secretary decides.

    Locks log-in and player. Refuses a player or a log-in already joined (`player_has_login`,
    `user_has_player`), who is merged or forgotten (`off_the_books`) and a second request while one
    is open (`claim_open`).
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    refuse_off_the_books(player)
    _refuse_joined(player)
    if Player.objects.filter(user=user).exists():
        raise Refused("user_has_player", _("Your log-in already belongs to a player."))
    if user.claims.filter(decided_at=None).exists():
        raise Refused("claim_open", _("You have a request waiting for the secretary's answer."))
    made = Claim.objects.create(player=player, user=user, note=note.strip(), created_at=now)
    LogEntry.objects.record(user, "claim", player, now, claim=made.pk)
    return made


@transaction.atomic
def decide_claim(made: Claim, accepted: bool, by: User, now: datetime) -> Claim:
    """A secretary accepts or declines; the answer goes by mail.

    Locks log-in, player and request. Refuses one already decided (`claim_decided`) and, when
    accepting, as `accept_invitation`.
    """
    _lock(made.player_id, made.user)
    made = Claim.objects.select_for_update(of=("self",), no_key=True).get(pk=made.pk)
    if made.decided_at:
        raise Refused("claim_decided", _("This request has already been answered."))
    if accepted:
        _join(made.player_id, made.user)
    made.accepted, made.decided_at, made.decided_by = accepted, now, by
    made.save(update_fields=["accepted", "decided_at", "decided_by"])
    mail.enqueue(f"claim:{made.pk}", made.user, "claim_decided", now, claim=made)
    LogEntry.objects.record(by, "decide_claim", made.player, now, claim=made.pk, accepted=accepted)
    return made


def _lock(player_pk: int, user: User) -> None:
    """The two rows that a joining concerns, always in this order: nobody waits in a ring.

    `no_key`, here as everywhere: a lock leaves others free to refer to the row, as the log does.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player_pk)


def _join(player_pk: int, user: User) -> Player:
    player = Player.objects.get(pk=player_pk)
    _refuse_joined(player)
    if Player.objects.filter(user=user).exists():
        raise Refused("user_has_player", _("This log-in already belongs to a player."))
    player.user = user
    player.save(update_fields=["user"])
    rename(user, player.full_name())  # from now on he is called as on the books
    return player


def _refuse_joined(player: Player) -> None:
    if player.user_id is not None:
        raise Refused(
            "player_has_login",
            _("%(player)s already has a log-in.") % {"player": player},
        )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
