"""What a host tells of one client, its order and what is paid for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from moneyed import Money

from affiliates.contracts import (
    CancelledRefund,
    ClientRegistered,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.host_events import (
    invoice_paid,
    invoice_refunded,
    order_placed,
    refund_cancelled,
)
from affiliates.visits.models import Click
from tests.affiliates.host_events.by_http import report_by_http
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.affiliates.till import line
from tests.lengths import SWEEP

DAY = timedelta(days=1)


@pytest.fixture(autouse=True, params=["call", pytest.param("http", marks=SWEEP)])
def reported_by(request, monkeypatch) -> str:
    """Reports by the host's own call, or by the events API."""
    if request.param == "http":
        report_by_http(monkeypatch)
    return request.param


@pytest.fixture
def clicked(affiliate, now) -> Click:
    return click_of(affiliate, now - DAY)


@pytest.fixture
def cookie(clicked) -> str:
    return cookie_of(clicked)


@pytest.fixture
def registered(brand, buyer, now) -> ClientRegistered:
    return ClientRegistered(
        brand_id=brand.pk, client_id=str(buyer.pk), registered_at=now
    )


@pytest.fixture
def placed(brand, buyer, now) -> OrderPlaced:
    return OrderPlaced(
        brand_id=brand.pk,
        order_ref="subscription-1",
        invoice_ref="in_1",
        client_id=str(buyer.pk),
        placed_at=now,
        client_paid_before=False,
    )


@pytest.fixture
def paid(placed, now) -> PaidInvoice:
    return PaidInvoice(
        brand_id=placed.brand_id,
        invoice_ref=placed.invoice_ref,
        order_ref=placed.order_ref,
        payment_ref="pi_1",
        gross=Money("119.00", "EUR"),
        lines=(line(Money("100.00", "EUR"), quantity=1),),
        paid_at=now,
    )


@pytest.fixture
def events(placed, paid, cookie, now) -> dict[str, Callable[[datetime], object]]:
    """What a payment provider tells of one subscription, in the order it happened."""
    renewed = replace(
        paid,
        invoice_ref="in_2",
        payment_ref="pi_2",
        renewal_number=1,
        paid_at=now + 30 * DAY,
    )
    refund = RefundedInvoice(
        brand_id=paid.brand_id,
        invoice_ref="in_1",
        refund_ref="re_1",
        gross=Money("59.50", "EUR"),
        refunded_at=now + 2 * DAY,
    )
    cancelled = CancelledRefund(
        brand_id=paid.brand_id,
        refund_ref="re_1",
        cancellation_ref="du_1",
        gross=Money("11.90", "EUR"),
        cancelled_at=now + 3 * DAY,
    )
    return {
        "placed": lambda at: order_placed(placed, referral_cookie=cookie, now=at),
        "paid": lambda at: invoice_paid(paid, now=at),
        "renewed": lambda at: invoice_paid(renewed, now=at),
        "refunded": lambda at: invoice_refunded(refund, now=at),
        "cancelled": lambda at: refund_cancelled(cancelled, now=at),
    }
