"""docs/events.md shows what is really sent."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from affiliates.payouts.services.requests import request_payout
from affiliates.webhooks.announce import Fact, FactKind, announce
from tests.affiliates.outbox.outbox import Clock, deliver
from tests.affiliates.till import Till, order_of
from tests.affiliates.webhooks.receiver import Receiver
from tests.factories.integrations import WebhookFactory
from tests.factories.ledger import NOW
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.django_db

PAGE = Path(__file__).resolve().parents[3] / "docs" / "events.md"
EXAMPLES = {
    example["type"]: example
    for text in re.findall(r"```json\n(.*?)\n```", PAGE.read_text("utf-8"), re.DOTALL)
    if (example := json.loads(text))
}
IDS = {"commission_id", "payout_id", "referral_id"}


def sent() -> list[dict[str, Any]]:
    """Everything that is waiting, as a receiver reads it."""
    receiver, clock = Receiver(), Clock(timezone.now())
    for _ in range(5):
        clock.pass_by(seconds=1)
        deliver(receiver, clock)
    return [json.loads(call.body) for call in receiver.calls]


def shown(message: dict[str, Any]) -> dict[str, Any]:
    """Without what a database counts."""
    data = {key: 0 if key in IDS else one for key, one in message["data"].items()}
    return {**message, "data": data}


def test_every_kind_is_shown_once():
    assert list(EXAMPLES) == list(FactKind)


def test_sale_its_commission_and_its_refund_are_sent_as_shown(brand, affiliate, host):
    CommissionPlanFactory(brand=brand, name="Standard", is_default=True)
    buyer = host.client(brand, email="buyer@example.com")
    order_of(affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1")
    WebhookFactory(brand=brand, sale_max_age_days=365)
    till = Till(brand.pk)

    till.pay()
    till.refund("40.00")
    till.cancel()

    first: dict[str, dict[str, Any]] = {}
    for message in sent():
        first.setdefault(message["type"], message)
    assert set(first) == {
        "sale.recorded",
        "commission.changed",
        "sale.reversed",
        "sale.restored",
    }
    for kind, message in first.items():
        assert shown(message) == shown(EXAMPLES[kind])


def test_payout_is_sent_as_shown(brand, affiliate):
    at = NOW + timedelta(days=32) - timedelta(hours=3)
    PayoutTermsFactory(brand=brand)
    DestinationFactory(affiliate=affiliate, usable_from=NOW)
    earn(affiliate)
    WebhookFactory(brand=brand, sale_max_age_days=365, kinds=["payout.changed"])

    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=at)

    [message] = sent()
    assert shown(message) == shown(EXAMPLES["payout.changed"])


@pytest.mark.parametrize("kind", FactKind)
def test_any_example_passes_the_outbox_unchanged(kind, brand):
    WebhookFactory(brand=brand, sale_max_age_days=365)
    example = EXAMPLES[kind]
    at = datetime.fromisoformat(example["timestamp"])

    announce(
        [
            Fact(
                kind=kind, brand_id=brand.pk, subject="x", key="1", data=example["data"]
            )
        ],
        now=at,
    )

    assert sent() == [example]
