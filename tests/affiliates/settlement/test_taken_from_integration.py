"""Staff take an order from the tracking integration, which was told of its sale."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.brands.rules import ClaimPolicy
from affiliates.commissions.models import Commission
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.referrals.models import DecisionOverride, OrderReferral
from affiliates.settlement.assignment_preview import foresee_assignment
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import AFTER_HOLD
from tests.database import nothing_written
from tests.factories.decisions import make_external, make_touch
from tests.factories.integrations import EXTERNAL_VISITOR, external_fields
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of

SALE = ("sale", "sale:invoice-1", "100.00")
DAY = timedelta(days=1)
TOLD = (
    "The tracking integration is told to take its sale back, and of this order nothing "
    "more: it cannot be given back to it."
)
BY_HAND = (
    "The tracking integration cannot be told to take its sale back: do that by hand in "
    "its provider's panel. It is told of this order nothing more."
)


@pytest.fixture
def ordered(brand, buyer, integration, affiliate):
    """An order that is the integration's, or also the affiliate's."""

    def ordered(policy: ClaimPolicy = ClaimPolicy.LATEST) -> OrderReferral:
        made = decision_of(
            *(
                [make_touch(2 * DAY, affiliate.pk, now=NOW)]
                if policy is ClaimPolicy.BOTH
                else []
            ),
            external=[make_external(DAY, integration_id=integration.pk, now=NOW)],
            claim_policy=policy,
        )
        return OrderReferralFactory(
            brand=brand,
            client=buyer,
            order_ref="order-1",
            invoice_ref="invoice-1",
            made=made,
            **external_fields(integration, NOW),
        )

    return ordered


@pytest.fixture
def give(staff):
    def give(referral, to):
        return override_attribution(
            referral_id=referral.pk,
            affiliate_id=None if to is None else to.pk,
            reason="Proved by the client's letter",
            actor_id=staff.pk,
            now=AFTER_HOLD,
        )

    return give


def told() -> list[tuple[str, str, str | None]]:
    """Operation, key and amount of everything queued, in the order it is sent."""
    return [
        (one.operation, one.key, one.payload["amount"])
        for one in Delivery.objects.order_by("id")
    ]


def taken_back(amount: str | None = None) -> tuple[str, str, str | None]:
    assigned = DecisionOverride.objects.earliest("pk")
    return "reversal", f"rev:invoice-1:assigned:{assigned.pk}", amount


@pytest.mark.parametrize("_case", ["an affiliate", "nobody"])
def test_paid_order_given_away_is_taken_back_once(
    plan, ordered, give, till, rival, integration, _case
):
    referral = ordered()
    assert referral.outcome == "third_party"
    till.pay()
    to = rival if _case == "an affiliate" else None

    give(referral, to)
    give(referral, to)
    till.refund("40.00")

    assert told() == [SALE, taken_back()]
    reversal = Delivery.objects.get(operation="reversal")
    assert reversal.integration == integration
    assert (reversal.state, reversal.next_at) == ("waiting", AFTER_HOLD)
    assert (reversal.order_ref, reversal.visitor_ref) == ("invoice-1", EXTERNAL_VISITOR)
    assert reversal.payload == {
        "order_ref": "invoice-1",
        "kind": "refund",
        "amount": None,
        "currency": "EUR",
        "occurred_at": AFTER_HOLD.isoformat(),
        "remote_ref": "",
    }
    earned = Commission.objects.values_list("affiliate__code", "amount")
    assert list(earned) == ([("rival", 1000)] if to else [])


def test_unpaid_order_was_told_of_to_nobody(plan, ordered, give, till, rival):
    give(ordered(), rival)
    till.pay()

    assert told() == []


def test_order_that_only_a_renewal_of_is_paid_was_told_of_to_nobody(
    plan, ordered, give, till, rival
):
    referral = ordered()
    till.pay(invoice="renewal-1", renewal=1)

    give(referral, rival)

    assert told() == []


def test_rest_is_taken_back_where_refunds_took_their_part(
    plan, ordered, give, till, rival
):
    referral = ordered()
    till.pay()
    till.refund("40.00")

    give(referral, rival)

    assert told() == [
        SALE,
        ("reversal", "rev:invoice-1:refund-1", "40.00"),
        taken_back("60.00"),
    ]


@pytest.mark.parametrize("state", [QueueState.FAILED, QueueState.GIVEN_UP])
def test_whole_sale_is_taken_back_where_no_part_was(
    plan, ordered, give, till, rival, state
):
    referral = ordered()
    till.pay()
    till.refund("40.00")
    Delivery.objects.filter(operation="reversal").update(state=state, next_at=None)

    give(referral, rival)

    assert told()[2:] == [taken_back()]


def test_nothing_is_left_to_take_back_after_refunds_of_everything(
    plan, ordered, give, till, rival
):
    referral = ordered()
    till.pay()
    till.refund("40.00")
    till.refund("60.00", ref="refund-2")

    told_before = told()
    assert TOLD not in foresee_assignment(referral, rival)
    give(referral, rival)

    assert told() == told_before


def test_of_an_invoice_of_nothing_nothing_is_told_or_taken_back(
    plan, ordered, give, till, rival
):
    referral = ordered()
    till.pay("0.00")

    assert TOLD not in foresee_assignment(referral, rival)
    give(referral, rival)

    assert told() == []


def test_integration_switched_off_is_told_nothing(
    plan, ordered, give, till, rival, integration
):
    referral = ordered()
    till.pay()
    integration.is_active = False
    integration.save()

    assert BY_HAND in foresee_assignment(referral, rival)
    give(referral, rival)

    reversal = Delivery.objects.get(operation="reversal")
    assert (reversal.state, reversal.next_at) == ("given_up", None)
    assert reversal.detail == "The integration was switched off."


def test_where_the_brand_credits_both_the_integration_keeps_its_sale(
    plan, ordered, give, till, rival
):
    referral = ordered(ClaimPolicy.BOTH)
    till.pay()

    assert TOLD not in foresee_assignment(referral, rival)
    give(referral, rival)
    till.refund("40.00")

    assert told() == [SALE, ("reversal", "rev:invoice-1:refund-1", "40.00")]


def test_integration_does_not_get_it_back(plan, ordered, give, till, rival, affiliate):
    referral = ordered(ClaimPolicy.BOTH)
    till.pay()

    give(referral, None)
    give(referral, affiliate)
    give(referral, rival)

    assert told() == [SALE, taken_back()]


@pytest.mark.parametrize("_case", ["an affiliate", "nobody"])
def test_page_foretells_it(plan, ordered, till, rival, _case):
    referral = ordered()
    to = rival if _case == "an affiliate" else None
    assert TOLD not in foresee_assignment(referral, to)
    till.pay()

    with nothing_written():
        sentences = foresee_assignment(referral, to)

    assert sentences[-1] == TOLD


def test_page_says_what_is_to_be_done_by_hand(plan, ordered, till, rival, integration):
    integration.config = {}
    integration.save()
    referral = ordered()
    till.pay()

    assert foresee_assignment(referral, rival)[-1] == BY_HAND


def test_page_of_an_order_whose_decision_cannot_be_made_again(ordered, till, rival):
    referral = ordered()
    till.pay()
    referral.decision = {}

    assert TOLD not in foresee_assignment(referral, rival)
