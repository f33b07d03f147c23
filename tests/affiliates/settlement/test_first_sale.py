"""A tracking integration is told of the first invoice with an amount, and of it once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.fraud.models import FraudReview
from affiliates.order_story.selectors import order_story
from affiliates.order_story.types import EventKind
from affiliates.outbox.models.delivery import Delivery
from affiliates.sales.models import Sale
from affiliates.settlement.assignment_preview import foresee_assignment
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import AFTER_HOLD, order_of
from tests.factories.decisions import make_external
from tests.factories.integrations import external_fields
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of
from tests.factories.plans import CommissionPlanFactory
from tests.lengths import in_any_order

DAY = timedelta(days=1)
NEWS = ["trial", "first", "second", "refund"]


@pytest.fixture
def tell(till):
    """A trial, two renewals with an amount, and a refund of each of these."""
    acts = {
        "trial": lambda: till.pay("0.00"),
        "first": lambda: till.pay("20.00", invoice="renewal-1", renewal=1),
        "second": lambda: till.pay("20.00", invoice="renewal-2", renewal=2),
        "refund": lambda: till.refund("5.00", invoice="renewal-1"),
        "refund of the second": lambda: till.refund(
            "20.00", ref="refund-2", invoice="renewal-2"
        ),
    }

    def tell(*news: str) -> None:
        for name in news:
            acts[name]()

    return tell


def told() -> list[tuple[str, str, str | None]]:
    """Operation, invoice and amount of everything queued."""
    return [
        (one.operation, one.order_ref, one.payload["amount"])
        for one in Delivery.objects.order_by("id")
    ]


SALE = ("sale", "renewal-1", "20.00")
REFUND = ("reversal", "renewal-1", "5.00")


@in_any_order("news", NEWS)
@pytest.mark.parametrize("credited", ["third_party", "both"])
def test_first_invoice_with_an_amount_is_told_once_in_any_order_of_news(
    request, credited, news, plan, tell
):
    request.getfixturevalue(credited)

    tell(*news, *news)

    assert told() == [SALE, REFUND]


def test_refund_of_a_later_invoice_is_not_told(third_party, tell):
    tell("trial", "first", "second", "refund of the second")

    assert told() == [SALE]


def test_nothing_is_told_before_the_invoices_before_it_are_known(third_party, tell):
    tell("first", "second")

    assert told() == []


def test_order_with_an_amount_at_once_is_told_by_its_initial_invoice(third_party, till):
    till.pay("10.00")
    till.pay("0.00", invoice="renewal-1", renewal=1)
    till.pay("20.00", invoice="renewal-2", renewal=2)

    assert told() == [("sale", "invoice-1", "10.00")]


def test_stated_position_needs_no_trial(third_party, till):
    till.pay("20.00", invoice="renewal-1", renewal=1, position=0)
    till.refund("20.00", invoice="renewal-1")

    assert told() == [
        ("sale", "renewal-1", "20.00"),
        ("reversal", "renewal-1", None),
    ]


def test_host_that_contradicts_itself_has_one_sale_told(third_party, till):
    till.pay("20.00", invoice="renewal-1", renewal=1, position=0)
    till.pay("10.00")
    till.pay("20.00", invoice="renewal-2", renewal=2, position=0)

    assert told() == [("sale", "renewal-1", "20.00")]


def test_sale_after_a_trial_is_taken_back_from_the_integration(
    plan, brand, buyer, integration, staff, rival, tell
):
    referral = OrderReferralFactory(
        brand=brand,
        client=buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        made=decision_of(
            external=[make_external(DAY, integration_id=integration.pk, now=NOW)]
        ),
        **external_fields(integration, NOW),
    )
    tell("trial", "first", "refund", "second")
    assert any(
        "take its sale back" in one for one in foresee_assignment(referral, rival)
    )

    sent = [e.text for e in order_story(referral).events if e.kind is EventKind.SENT]
    assert sent == [
        "Sale of €20.00 for the integration: Waiting to be sent.",
        "Reversal of €5.00 for the integration: Waiting to be sent.",
    ]

    override_attribution(
        referral_id=referral.pk,
        affiliate_id=rival.pk,
        reason="Proved by the client's letter",
        actor_id=staff.pk,
        now=AFTER_HOLD,
    )

    assert told() == [SALE, REFUND, ("reversal", "renewal-1", "15.00")]
    sales = Sale.objects.order_by("renewal_number").values_list("position", flat=True)
    assert list(sales) == [0, 0, 1]


def test_first_invoice_with_an_amount_is_reviewed_as_the_order(
    brand, affiliate, buyer, tell
):
    CommissionPlanFactory(brand=brand, is_default=True, allows_paid_ads=False)
    order_of(
        affiliate,
        buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        visit_url="https://shop.example.com/?ref=partner&gclid=abc",
    )

    tell("trial", "first", "second")

    reviewed = FraudReview.objects.values_list("sale__invoice_ref", flat=True)
    assert list(reviewed) == ["renewal-1"]
