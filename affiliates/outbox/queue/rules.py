"""States of rows that are sent later, and the waits between their tries. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

# The share by which a wait is made shorter or longer, to spread the load.
JITTER = 0.2


class QueueState(TextChoices):
    """An unclear row has a next try only if it can be looked up at its receiver."""

    WAITING = "waiting", _("Waiting to be sent")
    SENDING = "sending", _("Being sent")
    RETRY = "retry", _("Will be sent again")
    UNCLEAR = "unclear", _("Sent; whether it arrived is not known")
    SENT = "sent", _("Sent")
    FAILED = "failed", _("Failed")
    GIVEN_UP = "given_up", _("Given up")
    NOT_SENT = "not_sent", _("Not sent")

    @property
    def is_open(self) -> bool:
        return self in {*TRIED_NEXT, QueueState.UNCLEAR}


TRIED_NEXT = (QueueState.WAITING, QueueState.SENDING, QueueState.RETRY)
ENDED = (
    QueueState.SENT,
    QueueState.FAILED,
    QueueState.GIVEN_UP,
    QueueState.NOT_SENT,
)
# Without a next try, these stay until a person looks at them.
NEEDS_A_PERSON = (QueueState.UNCLEAR, QueueState.FAILED, QueueState.GIVEN_UP)


@dataclass(frozen=True, slots=True)
class TryResult:
    """The state after a try, and its reason. ``next_at`` is set if a try follows."""

    state: QueueState
    detail: str = ""
    next_at: datetime | None = None


def backoff(waits: Sequence[timedelta], tries: int) -> timedelta:
    """The wait after this many tries: the last one of the schedule repeats."""
    return waits[min(max(tries, 1), len(waits)) - 1]


def spread(wait: timedelta, jitter: float) -> timedelta:
    """The wait, up to a fifth shorter or longer. ``jitter`` is -1 to 1."""
    return wait * (1 + JITTER * jitter)
