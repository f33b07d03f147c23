"""States of queued rows, and the waits between their tries."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.emails import rules as emails
from affiliates.outbox import pacing
from affiliates.outbox.queue.rules import (
    ENDED,
    NEEDS_A_PERSON,
    TRIED_NEXT,
    QueueState,
    backoff,
    spread,
)

SECOND, MINUTE, HOUR = (
    timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours")
)


@pytest.mark.parametrize(
    ("tries", "of_delivery", "of_email"),
    [
        (0, 30 * SECOND, MINUTE),
        (1, 30 * SECOND, MINUTE),
        (2, 2 * MINUTE, 5 * MINUTE),
        (3, 10 * MINUTE, 15 * MINUTE),
        (4, 30 * MINUTE, HOUR),
        (5, 2 * HOUR, 3 * HOUR),
        (6, 6 * HOUR, 6 * HOUR),
        (7, 6 * HOUR, 6 * HOUR),
        (1000, 6 * HOUR, 6 * HOUR),
    ],
)
def test_waits_grow_to_the_last_of_the_schedule(tries, of_delivery, of_email):
    assert backoff(pacing.BACKOFF, tries) == of_delivery
    assert backoff(emails.BACKOFF, tries) == of_email


@pytest.mark.parametrize(("jitter", "seconds"), [(-1, 24), (0, 30), (0.5, 33), (1, 36)])
def test_waits_are_spread_by_a_fifth(jitter, seconds):
    assert spread(30 * SECOND, jitter) == seconds * SECOND


def test_every_state_has_a_next_try_or_is_unclear_or_ended():
    assert sorted([*TRIED_NEXT, QueueState.UNCLEAR, *ENDED]) == sorted(QueueState)
    assert {one for one in QueueState if one.is_open} == {*TRIED_NEXT, "unclear"}
    assert set(NEEDS_A_PERSON) == {"unclear", "failed", "given_up"}
