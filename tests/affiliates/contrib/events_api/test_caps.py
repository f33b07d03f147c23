"""What a key credits above its cap of the day is held for staff, and nothing is lost."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.contrib.events_api.models import BrandKey
from tests.database import nothing_written
from tests.factories.events_api import BrandKeyFactory
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
