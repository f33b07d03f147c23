"""What a key credits above its cap of the day is held for staff, and nothing is lost."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connections
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.contrib.events_api import services
from affiliates.contrib.events_api.models import BrandKey
from affiliates.payouts.selectors import balances
from tests.database import nothing_written
from tests.factories.events_api import BrandKeyFactory
from tests.factories.plans import CommissionPlanFactory
from tests.races import at_once, needs_postgresql

CAPPED = "abk_capped"


@pytest.fixture
def capped(brand) -> BrandKey:
    """A key that may credit 25.00 EUR a day: two commissions of 10.00."""
    return BrandKeyFactory(
        brand=brand, secret=CAPPED, daily_cap=2500, cap_currency="EUR"
    )


@pytest.fixture
def sell(report, placed, paid, plan, affiliate):
    """Reports a paid order in one call, the payment first if asked."""

    def sell(number: int, *, currency: str = "EUR", is_paid_first: bool = False) -> Any:
        own = {"order_ref": f"order-{number}", "invoice_ref": f"invoice-{number}"}
        line = {**paid["lines"][0], "net": {"amount": "100.00", "currency": currency}}
        payment = {
            **paid,
            **own,
            "gross": {"amount": "119.00", "currency": currency},
            "lines": [line],
        }
        events = [{**placed, **own}, payment]
        return report(*(events[::-1] if is_paid_first else events), secret=CAPPED)

    return sell


def statuses() -> list[str]:
    return [row.status for row in Commission.objects.order_by("pk")]


@pytest.mark.parametrize("is_paid_first", [False, True])
def test_what_is_above_the_cap_is_held(is_paid_first, sell, capped, now):
    with time_machine.travel(now, tick=False):
        answers = [sell(n, is_paid_first=is_paid_first).json() for n in range(3)]

    assert [row["status"] for row in answers[2]["data"]["results"]] == [200, 200]
    assert statuses() == ["pending", "pending", "held"]
    assert (
        "Above the daily cap of"
        in Commission.objects.latest("pk").events.latest("pk").reason_text
    )


def test_a_repeat_is_counted_once(sell, capped, now):
    with time_machine.travel(now):
        for _ in range(3):
            sell(1)
            sell(1, is_paid_first=True)

    capped.refresh_from_db()
    assert (capped.credited_on, capped.credited) == (now.date(), 1000)
    assert statuses() == ["pending"]


def test_the_next_day_begins_at_nothing(sell, capped, now):
    for day in range(4):
        with time_machine.travel(now + timedelta(days=day // 3), tick=False):
            sell(day)

    assert statuses() == ["pending", "pending", "held", "pending"]


def test_another_currency_than_the_caps_is_held(sell, capped):
    sell(1, currency="USD")

    assert statuses() == ["held"]


def test_a_key_without_a_cap_credits_everything(report, placed, paid, plan, affiliate):
    report(placed, paid)

    assert statuses() == ["pending"]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_events_at_once_do_not_pass_the_cap_together(sell, capped):
    at_once(6, sell)

    assert sorted(statuses()) == ["held"] * 4 + ["pending"] * 2


def test_staff_set_the_cap_of_a_new_key(admin_client, brand):
    sent = {"brand": brand.pk, "name": "A", "scopes": ["events:write"]}
    add = reverse("admin:affiliates_events_api_brandkey_add")

    with nothing_written():
        refused = admin_client.post(add, {**sent, "cap": "500", "currency": ""})
    admin_client.post(add, {**sent, "cap": "500", "currency": "EUR"})

    key = BrandKey.objects.get()
    assert "Enter an amount and its currency" in refused.text
    assert (key.daily_cap, key.cap_currency) == (50_000, "EUR")


def test_a_command_sets_the_cap(brand):
    def call(*cap: str) -> None:
        call_command(
            "affiliates_brand_key",
            "A",
            brand=brand.name,
            daily_cap=cap,
            stdout=StringIO(),
        )

    call("12.50", "EUR")

    assert BrandKey.objects.get().daily_cap == 1250
    with nothing_written(), pytest.raises(CommandError, match="such as 500 EUR"):
        call("12.50", "EURO")


REFUND = {
    "event": "invoice_refunded",
    "invoice_ref": "invoice-1",
    "refund_ref": "refund-1",
    "gross": {"amount": "119.00", "currency": "EUR"},
    "refunded_at": "2026-03-02T12:00:00Z",
}
CANCELLATION = {
    "event": "refund_cancelled",
    "refund_ref": "refund-1",
    "cancellation_ref": "cancellation-1",
    "cancelled_at": "2026-03-03T12:00:00Z",
}


@pytest.fixture
def tight(brand) -> BrandKey:
    """A key that may credit less than one commission."""
    return BrandKeyFactory(
        brand=brand, secret=CAPPED, daily_cap=100, cap_currency="EUR"
    )


def test_a_refund_that_is_cancelled_passes_no_cap(
    report, placed, paid, plan, affiliate, tight
):
    report(REFUND, placed, paid, secret=CAPPED)
    assert statuses() == ["reversed"]

    report(CANCELLATION, secret=CAPPED)

    assert statuses() == ["held"]


def test_a_joining_bonus_above_the_cap_is_held(
    report, placed, paid, affiliate, brand, tight
):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        hold_days=0,
        approves_itself=True,
        joining_bonus={"EUR": "25.00"},
        rules=[{"percent": 10}],
    )

    report(placed, paid, secret=CAPPED)

    [balance] = balances(affiliate.pk)
    assert statuses() == ["held"]
    assert (balance.payable, balance.held) == (0, 3500)


def test_an_event_from_before_midnight_does_not_begin_the_day_again(tight):
    midnight = datetime(2026, 3, 2, tzinfo=UTC)
    tight.change(credited_on=midnight.date(), credited=100)

    services.hold_above_cap(
        tight, order_ref="order-1", now=midnight - timedelta(seconds=1)
    )

    tight.refresh_from_db()
    assert (tight.credited_on, tight.credited) == (midnight.date(), 100)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_held_payment_and_one_refunded_before_do_not_wait_for_each_other(
    report, placed, paid, plan, affiliate, tight, monkeypatch
):
    own = {"order_ref": "order-2", "invoice_ref": "invoice-2"}
    gross = {"amount": "10.00", "currency": "EUR"}
    part = {**REFUND, "invoice_ref": "invoice-2", "gross": gross}
    report(placed, {**placed, **own}, part, secret=CAPPED)
    is_holding, hold, answers = threading.Event(), services.hold, {}

    def hold_slowly(**options):
        is_holding.set()
        hold(**options)

    monkeypatch.setattr(services, "hold", hold_slowly)

    def send(name, event):
        try:
            if name == "second":
                is_holding.wait(10)
            answers[name] = report(event, secret=CAPPED).json()["data"]["results"][0]
        finally:
            connections.close_all()

    events = {"first": paid, "second": {**paid, **own}}
    threads = [threading.Thread(target=send, args=one) for one in events.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert {name: one["status"] for name, one in answers.items()} == {
        "first": 200,
        "second": 200,
    }
