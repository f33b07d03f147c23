"""Whatever happens, in whatever order it is told: the statistics are what the rows say."""

from __future__ import annotations

from io import StringIO
from random import Random

import pytest
from django.core.management import call_command
from django.db import transaction

from affiliates.contrib.statistics import services
from affiliates.contrib.statistics.services import count_changes
from tests.affiliates.contrib.statistics.histories import History
from tests.lengths import times

HISTORIES = times(5, long=300)
ACTS = 40
# Each part is a test of its own, so that parts run beside each other.
PARTS = 5

pytestmark = [pytest.mark.long, pytest.mark.django_db]


class Interrupted(Exception):
    """The worker ends here, in the midst of a day."""


@pytest.mark.parametrize("part", range(PARTS))
def test_statistics_are_what_the_rows_say_after_random_histories(part, monkeypatch):
    for number in range(part, HISTORIES, PARTS):
        with transaction.atomic():
            live_through(number, monkeypatch)
            transaction.set_rollback(True)


def live_through(number, monkeypatch):
    chance = Random(number)  # noqa: S311 - a history, not a secret
    history = History(chance=chance)
    for _ in range(ACTS):
        history.go_on()
        if chance.random() < 0.15:
            count(history, monkeypatch)
        if chance.random() < 0.05:
            history.purge()
    count_changes(now=lambda: history.world.now)

    assert history.faults() == []
    assert verified(history) == []


def count(history, monkeypatch):
    """A pass of the worker, which may end anywhere."""
    write, left = services._write, history.chance.choice([0, 1, 3, 1_000])

    def write_some(*arguments):
        nonlocal left
        write(*arguments)
        left -= 1
        if left < 0:
            raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(services, "_write", write_some)
        try:
            count_changes(now=lambda: history.world.now)
        except Interrupted:
            pass


def verified(history):
    printed = StringIO()
    first, last = "2025-12-01", history.world.now.date().isoformat()
    try:
        call_command(
            "verify_statistics",
            "--brand",
            str(history.world.brand.pk),
            f"--from={first}",
            f"--to={last}",
            stdout=printed,
        )
    except SystemExit:
        return printed.getvalue().splitlines()
    return []
