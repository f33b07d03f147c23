"""The events of one subscription end alike, in any order and twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from affiliates.contrib.stripe.models import StripeEvent
from affiliates.ledger.models import AccountBalance
from tests.affiliates.contrib.stripe import samples
from tests.affiliates.contrib.stripe.samples import Event, after, line
from tests.affiliates.verification.finding import findings
from tests.lengths import in_any_order

pytestmark = pytest.mark.django_db
LIFE = ("checkout", "first", "renewal", "refund", "opened", "won")
CREDITED = ("checkout", "first", "renewal", "refund", "note", "link")
DAY = timedelta(days=1)


@pytest.fixture
def life(buyer, cookie, now) -> dict[str, Event]:
    """Bought at 10.00, renewed; half of the first refunded; the renewal's dispute won."""
    start, second = now, after(now, 1)
    return {
        "checkout": samples.session(str(buyer.pk), cookie, start),
        "first": samples.invoice(
            1,
            [line(1000, start, shape="older")],
            start,
            shape="older",
            reason="subscription_create",
        ),
        "renewal": samples.invoice(
            2, [line(1000, second, shape="older")], second, shape="older"
        ),
        "refund": samples.refund(1, 600, second),
        "opened": samples.dispute(2, 1200, second + DAY, "funds_withdrawn"),
        "won": samples.dispute(2, 1200, second + DAY, "funds_reinstated", status="won"),
    }


def sent(send: Any, events: list[Event]) -> None:
    assert [send(one) for one in events] == [200] * len(events)


@in_any_order("order", LIFE)
def test_a_life_ends_alike(order, life, program, send, earned):
    sent(send, [life[name] for name in order])
    once = books()
    sent(send, [life[name] for name in order])

    assert earned() == {"in_1": 100, "in_2": 100}
    assert books() == once
    assert states() == {"applied": 6}
    assert findings("--deep") == []


@in_any_order("order", CREDITED)
def test_a_credit_note_takes_the_place_of_its_refund(
    order, buyer, cookie, now, program, send, earned
):
    """Of two lines, the one of 4.00 is credited; its refund would take a part of both."""
    lines = [line(600, now), line(400, now, number=2, product="prod_seat")]
    second = after(now, 1)
    life = {
        "checkout": samples.session(str(buyer.pk), cookie, now),
        "first": samples.invoice(1, lines, now, reason="subscription_create"),
        "link": samples.invoice_payment(1, now),
        "renewal": samples.invoice(2, [line(600, second)], second),
        "refund": samples.refund(1, 480, second),
        "note": samples.credit_note(1, {"il_2": 400}, second, refund=("re_1", 480)),
    }

    sent(send, [life[name] for name in order] * 2)

    assert earned() == {"in_1": 120, "in_2": 60}
    assert states() == {"applied": 6}
    assert findings("--deep") == []


@in_any_order("order", ("checkout", "trial", "first", "upgrade", "second"))
def test_positions_count_paid_terms_alone(
    order, buyer, cookie, now, program, send, earned
):
    """A trial earns nothing, and an upgrade by the position of its term."""
    start, second = after(now, 1), after(now, 2)
    middle = start + timedelta(days=14)
    parts = [
        line(-500, middle, until=second, is_proration=True),
        line(1500, middle, number=2, until=second, is_proration=True),
    ]
    life = {
        "checkout": samples.session(str(buyer.pk), cookie, now),
        "trial": samples.invoice(1, [line(0, now)], now, reason="subscription_create"),
        "first": samples.invoice(2, [line(1000, start)], start),
        "upgrade": samples.invoice(3, parts, middle, reason="subscription_update"),
        "second": samples.invoice(4, [line(3000, second)], second),
    }

    sent(send, [life[name] for name in order] * 2)

    assert earned() == {"in_1": 0, "in_2": 200, "in_3": 200, "in_4": 300}
    assert findings("--deep") == []


def books() -> list[Any]:
    return list(AccountBalance.objects.order_by("pk").values_list("account", "amount"))


def states() -> dict[str, int]:
    found: dict[str, int] = {}
    for state in StripeEvent.objects.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found
