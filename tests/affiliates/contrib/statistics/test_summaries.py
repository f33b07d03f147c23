"""The monthly summary: for whom, when, and once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.summaries import send_summaries
from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from affiliates.program.models import Affiliate
from tests.affiliates.contrib.statistics.test_selectors import click

pytestmark = pytest.mark.django_db

MARCH = datetime(2026, 3, 9, 12, tzinfo=UTC)
# Six o'clock in Kiritimati is sixteen o'clock of the day before in UTC.
DUE = datetime(2026, 4, 1, 6, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_utc(settings):
    settings.TIME_ZONE = "UTC"


def queued() -> list[str]:
    found = Email.objects.filter(kind="monthly_summary").order_by("pk")
    return list(found.values_list("key", flat=True))


def test_each_with_something_in_the_month_gets_one(
    plan, order, till, affiliate, rival, mailoutbox
):
    click(affiliate, MARCH)
    till.pay("90.00", "10.00")
    Email.objects.all().delete()
    assert send_summaries(now=DUE) == 0  # The days are not counted yet.
    count_changes(now=lambda: DUE)

    assert send_summaries(now=DUE) == 1
    assert send_summaries(now=DUE.replace(day=2)) == 0

    assert queued() == [f"monthly_summary:{affiliate.pk}:2026-03"]
    send_due(now=lambda: DUE)
    [message] = mailoutbox
    assert message.subject == f"{affiliate.brand}: your results in March 2026"
    assert "Unique clicks: 1\n" in message.body
    assert "Sales: 1\n" in message.body
    assert "Sales of €100.00, your commission so far: €10.00" in message.body


@pytest.mark.parametrize(
    ("_case", "at", "zone", "count"),
    [
        ("before six", DUE.replace(hour=5), "UTC", 0),
        ("at six", DUE, "UTC", 1),
        ("a week later", DUE.replace(day=7), "UTC", 1),
        ("after a week", DUE.replace(day=8), "UTC", 0),
        ("six there", datetime(2026, 3, 31, 16, tzinfo=UTC), "Pacific/Kiritimati", 1),
        ("not yet there", DUE, "America/New_York", 0),
    ],
)
def test_it_is_due_from_six_on_the_first_there(affiliate, _case, at, zone, count):
    type(affiliate.brand).objects.update(time_zone=zone)
    click(affiliate, MARCH)
    count_changes(now=lambda: at)

    assert send_summaries(now=at) == count


def test_suspended_affiliates_and_test_brands_get_none(affiliate):
    click(affiliate, MARCH)
    count_changes(now=lambda: DUE)
    Affiliate.objects.update(status="suspended")
    assert send_summaries(now=DUE) == 0

    Affiliate.objects.update(status="active")
    type(affiliate.brand).objects.update(is_test=True)
    assert send_summaries(now=DUE) == 0
    assert queued() == []
