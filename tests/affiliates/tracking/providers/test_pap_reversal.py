"""Refunds and chargebacks at Post Affiliate Pro."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from affiliates.outbox.types import CallOutcome, LookupFacts, OutcomeKind, ReversalKind
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.pap_merchant import (
    LOGGED_IN,
    SESSION,
    action,
    replied,
    reverse,
)
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    merchant_settings,
    refund,
    request_of,
)

FORM = "Pap_Merchants_Transaction_TransactionsForm"
PART = refund(amount=Decimal("12.50"))
BY_HAND = (
    "Refund 12.50 EUR of order INV-1001 by hand in Post Affiliate Pro (refund of "
    "2026-03-01)."
)


@pytest.mark.parametrize(
    ("kind", "status"), [(ReversalKind.REFUND, "R"), (ReversalKind.CHARGEBACK, "H")]
)
def test_whole_sale_is_taken_back_by_its_order(kind, status):
    calls, outcome = reverse(LOGGED_IN, action(), facts=refund(kind=kind))

    assert request_of(calls[1]) == {
        "C": "Gpf_Rpc_Server",
        "M": "run",
        "requests": [
            {
                "C": FORM,
                "M": "makeRefundChargebackByParams",
                "filters": [["orderid", "E", "INV-1001"]],
                "merchant_note": f"{kind.label} of 2026-03-01",
                "status": status,
                "fee": 0,
            }
        ],
        "S": SESSION,
    }
    assert outcome == CallOutcome(
        kind=OutcomeKind.OK, detail="Order INV-1001 was taken back."
    )


def test_sale_that_was_sent_as_pending_is_declined():
    configured = merchant_settings(sale_status="P", order_prefix="eu-")

    calls, outcome = reverse(LOGGED_IN, action(), configured=configured)

    assert request_of(calls[1])["requests"] == [
        {
            "C": FORM,
            "M": "changeStatusPerOrderId",
            "orderid": "eu-INV-1001",
            "status": "D",
            "merchant_note": "Refund of 2026-03-01",
        }
    ]
    assert outcome.kind is OutcomeKind.OK


def test_part_of_a_sale_is_left_to_a_person_unless_switched_on():
    assert reverse(facts=PART) == (
        [],
        CallOutcome(kind=OutcomeKind.REJECTED, detail=BY_HAND),
    )


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        (ReversalKind.REFUND, "refundByOrderId"),
        (ReversalKind.CHARGEBACK, "chargeBackByOrderId"),
    ],
)
def test_part_of_a_sale_goes_with_its_value_when_switched_on(kind, method):
    configured = merchant_settings(partial_refunds=True, sale_status="P")

    calls, outcome = reverse(
        LOGGED_IN, action(), facts=replace(PART, kind=kind), configured=configured
    )

    assert request_of(calls[1])["requests"] == [
        {
            "C": FORM,
            "M": method,
            "orderid": "INV-1001",
            "merchant_note": f"{kind.label} of 2026-03-01",
            "fee": 0,
            "refund_value": "12.50",
        }
    ]
    assert outcome.kind is OutcomeKind.OK


def test_install_that_knows_no_partial_refund_leaves_it_to_a_person():
    configured = merchant_settings(partial_refunds=True)

    _, outcome = reverse(
        LOGGED_IN,
        replied({"e": "Method does not exist"}),
        facts=PART,
        configured=configured,
    )

    assert outcome == CallOutcome(
        kind=OutcomeKind.REJECTED,
        detail=(
            f"This install does not know the request: it may be too old for it. {BY_HAND}"
        ),
    )


@pytest.mark.parametrize(
    ("facts", "kind"),
    [(refund(), OutcomeKind.RETRY), (PART, OutcomeKind.AMBIGUOUS)],
)
def test_only_a_whole_sale_is_taken_back_again_after_a_500(facts, kind):
    configured = merchant_settings(partial_refunds=True)

    _, outcome = reverse(
        LOGGED_IN, answer(status=500), facts=facts, configured=configured
    )

    assert outcome.kind is kind


@pytest.mark.parametrize("order_ref", ["", " ", "\n"])
@pytest.mark.parametrize("sale_status", ["", "P"])
@pytest.mark.parametrize("amount", [None, Decimal(1)])
def test_nothing_is_ever_asked_without_an_order(order_ref, sale_status, amount):
    configured = merchant_settings(
        sale_status=sale_status, order_prefix="eu-", partial_refunds=True
    )
    nothing = CallOutcome(
        kind=OutcomeKind.REJECTED,
        detail="There is no order number to ask for, so nothing was sent.",
    )

    facts = refund(order_ref=order_ref, amount=amount)
    assert reverse(facts=facts, configured=configured) == ([], nothing)
    asked = LookupFacts(order_ref=order_ref)
    run = ADAPTER.run(asked, "", configured)
    assert converse(run) == ([], nothing)


@pytest.mark.parametrize("info", ["", "  ", None, []])
def test_success_without_a_word_means_that_there_was_no_such_sale(info):
    _, outcome = reverse(LOGGED_IN, action(info=info))

    assert outcome == CallOutcome(
        kind=OutcomeKind.NOT_FOUND,
        detail="Post Affiliate Pro holds no sale for order INV-1001.",
    )


@pytest.mark.parametrize(
    ("_case", "response", "kind", "detail"),
    [
        (
            "refused",
            action("N"),
            OutcomeKind.REJECTED,
            "Post Affiliate Pro did not change order INV-1001: look at it there.",
        ),
        (
            "error",
            replied({"e": "secret <b>trace</b>"}),
            OutcomeKind.REJECTED,
            "Post Affiliate Pro refused the request with an error of its own.",
        ),
        (
            "error of no text",
            replied({"e": {"deep": [1]}}),
            OutcomeKind.REJECTED,
            "Post Affiliate Pro refused the request with an error of its own.",
        ),
        (
            "page",
            answer("<html>secret</html>"),
            OutcomeKind.CONFIG,
            "server.php did not answer as Post Affiliate Pro does: check the tracking "
            "address, and the error log of the install.",
        ),
    ],
)
def test_refusals_are_told_without_the_installs_words(_case, response, kind, detail):
    _, outcome = reverse(LOGGED_IN, response)

    assert outcome == CallOutcome(kind=kind, detail=detail)


@pytest.mark.parametrize(
    "response",
    [answer(""), answer("PHP Warning []"), replied(), replied({}), replied(1)],
)
def test_answer_that_says_nothing_leaves_a_part_to_a_person(response):
    configured = merchant_settings(partial_refunds=True)

    _, whole = reverse(LOGGED_IN, response)
    _, part = reverse(LOGGED_IN, response, facts=PART, configured=configured)

    assert whole.kind is OutcomeKind.CONFIG
    assert part.kind is OutcomeKind.AMBIGUOUS
