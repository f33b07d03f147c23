"""When a job is done again, and when it is late or failing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from affiliates.worker.rules import in_words, is_due, is_failing, is_late, next_due
from tests.cases import each

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
DAY = timedelta(days=1)


@each(
    ("every", "has_failed", "was_stopped", "wait"),
    [
        (5 * SECOND, False, False, 5 * SECOND),
        (DAY, False, False, DAY),
        (DAY, False, True, timedelta(0)),
        (5 * SECOND, True, False, 30 * SECOND),
        (MINUTE, True, False, MINUTE),
        (DAY, True, False, 5 * MINUTE),
        (DAY, True, True, 5 * MINUTE),
    ],
)
def test_pause_until_the_next_run(every, has_failed, was_stopped, wait):
    due = next_due(now=NOW, every=every, has_failed=has_failed, was_stopped=was_stopped)

    assert due - NOW == wait


@each(
    ("ahead", "due"),
    [
        (timedelta(0), True),
        (-DAY, True),
        (SECOND, False),
        (6 * MINUTE, False),
        (6 * MINUTE + SECOND, True),
    ],
)
def test_due_at_its_time_or_when_no_clock_can_be_right(ahead, due):
    assert is_due(NOW + ahead, every=MINUTE, now=NOW) is due


@each(
    ("due", "lease", "late"),
    [
        (None, None, True),
        (NOW, None, False),
        (NOW - 2 * MINUTE, None, False),
        (NOW - 2 * MINUTE - SECOND, None, True),
        (NOW - DAY, NOW + SECOND, False),
        (NOW - DAY, NOW, True),
        (NOW - DAY, NOW + DAY, True),
    ],
)
def test_late_is_two_minutes_after_its_time_and_nobody_at_it(due, lease, late):
    assert is_late(due, every=MINUTE, has_run=True, lease_until=lease, now=NOW) is late


@each(
    ("every", "has_run", "patience"),
    [
        (SECOND, True, 2 * MINUTE),
        (16 * MINUTE, True, 2 * MINUTE),
        (DAY, True, DAY / 8),
        (SECOND, False, 2 * MINUTE + SECOND),
        (DAY, False, DAY + DAY / 8),
    ],
)
def test_patience_is_an_eighth_of_long_intervals_and_one_more_at_first(
    every, has_run, patience
):
    def late(due):
        return is_late(due, every=every, has_run=has_run, lease_until=None, now=NOW)

    assert late(NOW - patience) is False
    assert late(NOW - patience - SECOND) is True


@each(
    ("every", "words"),
    [
        (SECOND, "1 second"),
        (5 * SECOND, "5 seconds"),
        (90 * SECOND, "90 seconds"),
        (1.5 * SECOND, "1.5 seconds"),
        (MINUTE, "1 minute"),
        (60 * MINUTE, "1 hour"),
        (DAY, "1 day"),
        (7 * DAY, "7 days"),
    ],
)
def test_intervals_in_words(every, words):
    assert in_words(every) == words


@each(
    ("succeeded", "failed", "failing"),
    [
        (None, None, False),
        (NOW, None, False),
        (None, NOW, True),
        (NOW, NOW - SECOND, False),
        (NOW - SECOND, NOW, True),
    ],
)
def test_failing_is_a_last_end_in_failure(succeeded, failed, failing):
    assert is_failing(succeeded, failed) is failing
