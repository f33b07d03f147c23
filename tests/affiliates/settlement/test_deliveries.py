"""What the tracking integration is told of a paid invoice, in whatever order of events."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from moneyed import Money

from affiliates.contracts import CancelledRefund, OrderConversion, RefundKind
from affiliates.host_events import invoice_paid, invoice_refunded, refund_cancelled
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.sending.plan import plan
from affiliates.outbox.services import resolve_by_hand
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import Sale, SaleReversal
from affiliates.settlement.services import convert_order
from tests.affiliates.settlement.conftest import (
    EXTERNAL_VISITOR,
    cookie_of_a_visit,
    line,
    make_refund,
)
from tests.lengths import in_any_order


def told() -> list[tuple[str, str, str | None]]:
    """Operation, key and amount of everything queued, in the order it is sent."""
    return [
        (one.operation, one.key, one.payload["amount"])
        for one in Delivery.objects.order_by("id")
    ]


@pytest.fixture
def cancellation(brand, now) -> CancelledRefund:
    """11.90 of the refund of 59.50."""
    return CancelledRefund(
        brand_id=brand.pk,
        refund_ref="refund-1",
        cancellation_ref="dispute-1",
        gross=Money("11.90", "EUR"),
        cancelled_at=now + timedelta(days=2),
    )


SALE = ("sale", "sale:invoice-1", "100.00")


def test_payment_is_told_to_the_integration_and_makes_no_own_sale(
    third_party, payment, integration, now
):
    invoice_paid(payment, now=now)

    assert Sale.objects.count() == 0
    delivery = Delivery.objects.get()
    assert (delivery.integration, delivery.brand) == (integration, integration.brand)
    assert (delivery.operation, delivery.key) == ("sale", "sale:invoice-1")
    assert (delivery.order_ref, delivery.visitor_ref) == ("invoice-1", EXTERNAL_VISITOR)
    assert (delivery.state, delivery.next_at) == ("waiting", now)
    assert delivery.payload == {
        "kind": "sale",
        "order_ref": "invoice-1",
        "amount": "100.00",
        "currency": "EUR",
        "product_ref": "product-1",
        "occurred_at": payment.paid_at.isoformat(),
        "customer_ref": str(third_party.client_id),
        "ip": "203.0.113.0",
        "user_agent": third_party.external_user_agent,
        "affiliate": "testaff",
        "coupon": "",
    }


def test_payment_is_told_and_makes_the_own_sale_where_both_are_credited(
    both, payment, affiliate, now
):
    invoice_paid(payment, now=now)

    assert Sale.objects.get().affiliate == affiliate
    assert told() == [SALE]


def test_held_own_sale_does_not_hold_back_the_integration(both, payment, now):
    OrderReferral.objects.update(outcome=Outcome.HELD)

    invoice_paid(payment, now=now)

    assert Sale.objects.get().status == "held"
    assert told() == [SALE]


@pytest.mark.parametrize("outcome", ["credited", "held"])
def test_order_of_an_own_affiliate_alone_is_told_to_nobody(
    order_referral, integration, payment, refund, now, outcome
):
    OrderReferral.objects.update(outcome=outcome)

    invoice_paid(payment, now=now)
    invoice_refunded(refund, now=now)

    assert Sale.objects.count() == 1
    assert Delivery.objects.count() == 0


def test_payment_told_twice_is_queued_once(third_party, payment, now):
    invoice_paid(payment, now=now)
    invoice_paid(payment, now=now)

    assert told() == [SALE]


def test_payment_without_lines_is_of_nothing_and_not_told(third_party, payment, now):
    invoice_paid(replace(payment, lines=()), now=now)

    assert told() == []


def test_refunds_with_the_longest_references_are_told_each(
    third_party, brand, payment, now
):
    invoice_ref = "i" * 64
    OrderReferral.objects.update(invoice_ref=invoice_ref)
    invoice_paid(replace(payment, invoice_ref=invoice_ref), now=now)

    for number in (1, 2, 2):
        refund = make_refund(brand.pk, f"{'r' * 63}{number}", "59.50", now)
        invoice_refunded(replace(refund, invoice_ref=invoice_ref), now=now)

    assert [(operation, amount) for operation, _, amount in told()] == [
        ("sale", "100.00"),
        ("reversal", "50.00"),
        ("reversal", "50.00"),
    ]


@pytest.mark.parametrize("credited", ["third_party", "both"])
def test_partial_refunds_take_back_their_share_to_the_last_cent(
    request, credited, brand, payment, now
):
    request.getfixturevalue(credited)
    invoice_paid(payment, now=now)

    for number, gross in enumerate(["33.33", "40.00", "45.67"], start=1):
        invoice_refunded(make_refund(brand.pk, f"refund-{number}", gross, now), now=now)

    assert told() == [
        SALE,
        ("reversal", "rev:invoice-1:refund-1", "28.01"),
        ("reversal", "rev:invoice-1:refund-2", "33.61"),
        ("reversal", "rev:invoice-1:refund-3", "38.38"),
    ]


def test_own_reversals_and_those_told_are_the_same_where_both_are_credited(
    both, brand, payment, now
):
    invoice_paid(payment, now=now)
    for number, gross in enumerate(["33.33", "40.00", "45.67"], start=1):
        invoice_refunded(make_refund(brand.pk, f"refund-{number}", gross, now), now=now)

    own = [-one.net.amount for one in SaleReversal.objects.order_by("id")]
    assert [str(amount.quantize(own[0])) for amount in own] == [
        f"{amount}0" for _, _, amount in told()[1:]
    ]


@pytest.mark.parametrize("gross", ["119.00", "150.00"])
def test_one_refund_of_everything_takes_back_the_whole_sale(
    third_party, brand, payment, now, gross
):
    invoice_paid(payment, now=now)

    invoice_refunded(make_refund(brand.pk, "refund-1", gross, now), now=now)

    assert told() == [SALE, ("reversal", "rev:invoice-1:refund-1", None)]
    reversal = Delivery.objects.get(operation="reversal")
    assert reversal.payload["kind"] == "refund"
    assert reversal.payload["currency"] == "EUR"
    assert reversal.payload["occurred_at"] == (now + timedelta(days=1)).isoformat()
    assert reversal.visitor_ref == EXTERNAL_VISITOR


@pytest.mark.parametrize(
    ("_case", "refunds"),
    [
        ("after one too small to take anything back", ["0.10", "118.90"]),
        ("before one with nothing left to take back", ["118.90", "0.10"]),
    ],
)
def test_refund_that_takes_back_all_the_net_takes_back_the_whole_sale(
    third_party, brand, payment, now, _case, refunds
):
    invoice_paid(replace(payment, lines=(line("Domain", "1.00"),)), now=now)

    for gross in refunds:
        invoice_refunded(make_refund(brand.pk, f"refund-{gross}", gross, now), now=now)

    assert told() == [
        ("sale", "sale:invoice-1", "1.00"),
        ("reversal", "rev:invoice-1:refund-118.90", None),
    ]


def test_refund_of_everything_is_whole_where_the_net_has_parts_of_a_cent(
    third_party, brand, payment, now
):
    invoice_paid(replace(payment, lines=(line("Hosting", "99.995"),)), now=now)

    invoice_refunded(make_refund(brand.pk, "refund-1", "119.00", now), now=now)

    assert told()[1:] == [("reversal", "rev:invoice-1:refund-1", None)]


def test_chargeback_is_told_as_one(third_party, payment, refund, now):
    invoice_paid(payment, now=now)

    invoice_refunded(replace(refund, kind=RefundKind.CHARGEBACK), now=now)

    assert Delivery.objects.get(operation="reversal").payload["kind"] == "chargeback"


def test_refund_beyond_the_payment_is_not_told(third_party, brand, payment, now):
    invoice_paid(payment, now=now)
    for number in (1, 2):
        invoice_refunded(
            make_refund(brand.pk, f"refund-{number}", "119.00", now), now=now
        )

    assert told() == [SALE, ("reversal", "rev:invoice-1:refund-1", None)]


def test_refund_in_another_currency_before_the_payment_is_not_told(
    third_party, brand, payment, now
):
    invoice_refunded(
        make_refund(brand.pk, "refund-1", "10.00", now, currency="USD"), now=now
    )
    invoice_paid(payment, now=now)

    assert told() == [SALE]


def test_integration_switched_off_before_the_payment_gives_up_with_the_reason(
    third_party, integration, payment, now
):
    integration.is_active = False
    integration.save()

    invoice_paid(payment, now=now)

    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.next_at) == ("given_up", None)
    assert delivery.detail == "The integration was switched off."


EVENTS = ["paid", "paid again", "refund", "chargeback"]
END = [
    ("reversal", "rev:invoice-1:refund-1", "28.01"),
    ("reversal", "rev:invoice-1:refund-2", "71.99"),
    SALE,
]


@in_any_order("order", EVENTS)
@pytest.mark.parametrize("credited", ["third_party", "both"])
def test_events_in_any_order_end_in_the_same_deliveries(
    request, credited, order, brand, payment, now
):
    request.getfixturevalue(credited)
    refunds = {
        "refund": make_refund(brand.pk, "refund-1", "33.33", now),
        "chargeback": replace(
            make_refund(brand.pk, "refund-2", "85.67", now), kind=RefundKind.CHARGEBACK
        ),
    }

    for name in order:
        if name in refunds:
            invoice_refunded(refunds[name], now=now)
        else:
            invoice_paid(payment, now=now)

    assert sorted(told()) == END
    assert told()[0] == SALE


@pytest.mark.usefixtures("early_invoices")
# Not `portable`: .ci/run has hosts with early invoices on PostgreSQL alone.
@in_any_order("order", ["converted", *EVENTS[1:]], marks=[pytest.mark.long])
def test_conversion_may_come_at_any_time(order, host, brand, integration, payment, now):
    client = host.client(brand, email="client@example.com")
    order_ref = host.order(client)
    invoice_ref = f"invoice-{order_ref}"
    cookie = cookie_of_a_visit(integration, now)
    refund = replace(
        make_refund(brand.pk, "refund-1", "119.00", now), invoice_ref=invoice_ref
    )

    def convert() -> None:
        convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(client.pk),
                payment_details_id=host.payment_details_id(client),
            ),
            origin_brand_id=None,
            referral_cookie=cookie,
            now=now,
        )

    paid = replace(payment, invoice_ref=invoice_ref, order_ref=order_ref)
    act = {
        "converted": convert,
        "paid again": lambda: invoice_paid(paid, now=now),
        "refund": lambda: invoice_refunded(refund, now=now),
        "chargeback": lambda: invoice_refunded(
            replace(refund, refund_ref="refund-2", gross=Money("1.00", "EUR")), now=now
        ),
    }

    for name in (*order, *order):
        act[name]()

    sale, *reversals = told()
    assert sale == ("sale", f"sale:{invoice_ref}", "100.00")
    first, *rest = [amount for _, _, amount in reversals]
    # The one who comes first takes back all, or its share and the other what is left.
    assert (first, rest) in [(None, []), ("0.84", ["99.16"])]


def test_cancelled_refund_waits_for_a_person_and_is_never_sent(
    third_party, payment, refund, cancellation, now
):
    invoice_paid(payment, now=now)
    invoice_refunded(refund, now=now)

    refund_cancelled(cancellation, now=now)
    refund_cancelled(cancellation, now=now)

    waiting = Delivery.objects.get(operation="restoration")
    assert told()[-1] == ("restoration", "res:invoice-1:dispute-1", "10.00")
    assert (waiting.state, waiting.next_at) == ("unclear", None)
    resolve_by_hand(waiting, arrived=False, now=now)
    waiting.refresh_from_db()
    unsent = plan(waiting, waiting.integration, "", now=now)
    assert (unsent.state, unsent.next_at) == ("unclear", None)


def test_refund_after_a_cancelled_one_is_told_as_a_whole(
    brand, third_party, payment, cancellation, now
):
    invoice_paid(payment, now=now)
    invoice_refunded(make_refund(brand.pk, "refund-1", "119.00", now), now=now)
    refund_cancelled(replace(cancellation, gross=None), now=now + timedelta(days=2))

    again = make_refund(brand.pk, "refund-2", "119.00", now)
    invoice_refunded(again, now=now + timedelta(days=3))

    assert told() == [
        SALE,
        ("reversal", "rev:invoice-1:refund-1", None),
        ("restoration", "res:invoice-1:dispute-1", "100.00"),
        ("reversal", "rev:invoice-1:refund-2", None),
    ]


def test_refunds_are_told_in_the_order_they_were_kept_whatever_the_clocks_say(
    brand, third_party, payment, now
):
    invoice_paid(payment, now=now)
    whole = make_refund(brand.pk, "refund-1", "119.00", now)
    invoice_refunded(whole, now=now + timedelta(seconds=1))

    # Of a machine that is a second behind.
    invoice_refunded(make_refund(brand.pk, "refund-2", "60.00", now), now=now)

    assert told() == [SALE, ("reversal", "rev:invoice-1:refund-1", None)]


@pytest.mark.parametrize("credited", ["third_party", "both"])
@pytest.mark.parametrize(
    ("_case", "gross", "refunded"),
    [
        ("all of it", None, []),
        ("a part", "11.90", [("reversal", "rev:invoice-1:refund-1", "40.00")]),
    ],
)
def test_refund_cancelled_before_the_sale_is_told_as_what_is_left_of_it(
    request, credited, _case, gross, refunded, payment, refund, cancellation, brand, now
):
    request.getfixturevalue(credited)
    amount = None if gross is None else Money(gross, "EUR")
    invoice_refunded(refund, now=now)
    refund_cancelled(replace(cancellation, gross=amount), now=now)

    for _ in range(2):
        invoice_paid(payment, now=now)
        invoice_refunded(refund, now=now)
        refund_cancelled(replace(cancellation, gross=amount), now=now)

    assert told() == [SALE, *refunded]

    # All that is left of the sale.
    invoice_refunded(make_refund(brand.pk, "refund-2", "119.00", now), now=now)
    left = "60.00" if refunded else None
    assert told()[1:] == [*refunded, ("reversal", "rev:invoice-1:refund-2", left)]


def test_refund_that_comes_after_its_cancellation_is_told_as_what_is_left_of_it(
    third_party, payment, refund, cancellation, now
):
    invoice_paid(payment, now=now)
    refund_cancelled(cancellation, now=now)

    for _ in range(2):
        invoice_refunded(refund, now=now)

    assert told() == [SALE, ("reversal", "rev:invoice-1:refund-1", "40.00")]


@pytest.mark.parametrize("credited", ["third_party", "both"])
def test_refund_asks_as_much_however_many_came_before(
    request, credited, brand, payment, now
):
    request.getfixturevalue(credited)
    invoice_paid(payment, now=now)
    asked = []

    for number in range(8):
        with CaptureQueriesContext(connection) as queries:
            invoice_refunded(
                make_refund(brand.pk, f"refund-{number}", "1.00", now), now=now
            )
        asked.append(len(queries))

    assert len(told()) == 9
    assert len(set(asked[1:])) == 1
