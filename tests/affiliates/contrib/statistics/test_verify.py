"""What verify_statistics says after the brand's time zone has changed."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from io import StringIO
from random import Random

import pytest
from django.core.management import call_command

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.models import DailyFigures, StatisticsState
from affiliates.contrib.statistics.services import count_changes, freeze_days
from affiliates.host_events import client_erased
from affiliates.referrals.models import ClientReferral
from tests.affiliates.contrib.statistics.histories import History
from tests.guard.markers import marker


@pytest.fixture(scope="module")
def kept_history(keep_rows) -> History:
    return keep_rows(go_on)


@pytest.fixture
def history(db, kept_history) -> History:
    """Forty acts on several days, counted by the days of UTC."""
    return deepcopy(kept_history)


def go_on() -> History:
    history = History(chance=Random(7))  # noqa: S311 - a history, not a secret
    history.world.brand.time_zone = "UTC"
    history.world.brand.save()
    for _ in range(40):
        history.go_on()
    history.world.pass_by(days=2)
    count(history)
    return history


def count(history: History) -> None:
    count_changes(now=lambda: history.world.now)


def move(history: History, zone: str) -> None:
    brand = Brand.objects.get(pk=history.world.brand.pk)
    brand.time_zone = zone
    brand.save()


def found(history: History) -> list[str]:
    printed = StringIO()
    last = history.world.now.date().isoformat()
    try:
        call_command(
            "verify_statistics", "--from=2025-12-30", f"--to={last}", stdout=printed
        )
    except SystemExit:
        return printed.getvalue().splitlines()[:-1]
    return []


def freeze(history: History) -> None:
    before = history.world.now - timedelta(days=2)
    freeze_days(history.world.brand, before=before, now=history.world.now)


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/St_Johns"])
@pytest.mark.parametrize("is_frozen", [False, True])
def test_change_of_the_time_zone_is_no_difference(zone, is_frozen, history):
    if is_frozen:
        freeze(history)

    move(history, zone)
    before_the_worker = found(history)
    count(history)

    assert (before_the_worker, found(history)) == ([], [])


@pytest.mark.parametrize("is_counted", [False, True])
def test_wrong_number_is_found_after_a_change_of_the_time_zone(is_counted, history):
    move(history, "Pacific/Auckland")
    if is_counted:
        count(history)
    wrong = DailyFigures.objects.filter(dimension="total", currency="").first()
    DailyFigures.objects.filter(pk=wrong.pk).update(signups=wrong.signups + 5)
    # On PostgreSQL the clicks of this transaction are always still to be looked at.
    StatisticsState.objects.update(clicks_seen=f"1:{2**60}:")

    assert found(history) == [
        f"{history.world.brand}, {wrong.day}: total '' has {wrong.signups + 5} signups, "
        f"the rows have {wrong.signups}."
    ]


def test_erased_clients_leave_the_counts_of_their_clicks(history):
    before = list(DailyFigures.objects.order_by("pk").values_list("unique_clicks"))
    clients = ClientReferral.objects.filter(click_id__isnull=False)
    assert clients.exists()

    for bound in clients:
        client_erased(
            brand_id=bound.brand_id,
            client_id=str(bound.client_id),
            email="",
            reason=marker("staff", "erasure"),
            now=history.world.now,
        )
    count(history)

    assert found(history) == []
    after = list(DailyFigures.objects.order_by("pk").values_list("unique_clicks"))
    assert after == before
