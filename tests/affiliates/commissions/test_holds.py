"""When an affiliate's pending commissions become payable, and how much of them."""

from __future__ import annotations

from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

import pytest

from affiliates.commissions.holds import Hold, holds_of
from affiliates.commissions.rules import CommissionStatus
from tests.database import queries_of
from tests.factories.books import CommissionFactory, CommissionReversalFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def pending(affiliate, now):
    """Make a pending commission of 10.00 EUR whose hold ends in so many hours."""

    def pending(hours, **fields):
        at = now + timedelta(hours=hours)
        return CommissionFactory(affiliate=affiliate, matures_at=at, **fields)

    return pending


def test_each_currency_has_its_next_day_and_its_last(affiliate, pending, now):
    pending(1)
    CommissionReversalFactory(commission=pending(2), amount=-300)
    pending(48)
    pending(24, currency="USD", amount=500)

    holds = holds_of(affiliate.pk, zone=UTC)

    first, last = now + timedelta(hours=1), now + timedelta(hours=48)
    assert holds == {
        "EUR": Hold(amount=2_700, next_at=first, next_amount=1_700, last_at=last),
        "USD": Hold(
            amount=500,
            next_at=now + timedelta(hours=24),
            next_amount=500,
            last_at=now + timedelta(hours=24),
        ),
    }
    assert queries_of(lambda: holds_of(affiliate.pk, zone=UTC)) == 1


def test_the_day_is_that_of_the_time_zone(affiliate, pending):
    pending(1)
    pending(11.5)

    amounts = [
        holds_of(affiliate.pk, zone=ZoneInfo(name))["EUR"].next_amount
        for name in ("UTC", "Europe/Berlin")
    ]

    assert amounts == [2_000, 1_000]


def test_only_what_waits_for_the_end_of_its_hold_is_counted(affiliate, rival, pending):
    others = set(CommissionStatus) - {CommissionStatus.PENDING, CommissionStatus.PAID}
    for status in others:
        pending(1, status=status)
    CommissionFactory(affiliate=rival)

    assert holds_of(affiliate.pk, zone=UTC) == {}
