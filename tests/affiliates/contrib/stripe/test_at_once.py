"""One event, and events that need each other, from several processes at once."""

from __future__ import annotations

import pytest
from django.utils import timezone

from affiliates.commissions.models import Commission
from affiliates.contrib.stripe.models import StripeEvent, StripeInvoice
from affiliates.contrib.stripe.services import receive_event
from tests.affiliates.contrib.stripe import samples
from tests.affiliates.contrib.stripe.samples import after, line
from tests.races import at_once, needs_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), needs_postgresql]


def test_an_event_that_comes_twice_at_once_is_applied_once(
    brand, buyer, cookie, now, program, earned
):
    events = [
        samples.session(str(buyer.pk), cookie, now),
        samples.invoice(1, [line(1000, now)], now, reason="subscription_create"),
    ]

    at_once(
        8,
        lambda number: receive_event(
            brand_id=brand.pk, event=events[number % 2], now=timezone.now()
        ),
    )

    assert [row.state for row in StripeEvent.objects.all()] == ["applied"] * 2
    assert Commission.objects.count() == 1
    assert earned() == {"in_1": 200}


def test_no_event_waits_for_one_that_is_there(
    brand, buyer, cookie, now, program, earned
):
    second, third = after(now, 1), after(now, 2)
    events = [
        samples.session(str(buyer.pk), cookie, now),
        samples.invoice(1, [line(1000, now)], now, reason="subscription_create"),
        samples.invoice_payment(1, now),
        samples.invoice(2, [line(1000, second)], second),
        samples.invoice(3, [line(1000, third)], third),
        samples.refund(1, 600, second),
    ]

    at_once(
        6,
        lambda number: receive_event(
            brand_id=brand.pk, event=events[-number], now=timezone.now()
        ),
    )

    assert earned() == {"in_1": 100, "in_2": 100, "in_3": 100}
    assert sorted(StripeInvoice.objects.values_list("number", "position")) == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]
