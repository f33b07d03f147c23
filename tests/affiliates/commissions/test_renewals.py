"""A renewal is of its order: another invoice, another sale, the order's plan version."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.commissions.models import Commission
from affiliates.errors import InvalidInput
from affiliates.ledger.rules import Account
from affiliates.outbox.models.delivery import Delivery
from affiliates.plans.services import publish_plan
from affiliates.program.models import Affiliate
from affiliates.sales.models import InvoicePayment, Sale
from tests.affiliates.till import PAID_AT, order_of
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.ledger import NOW
from tests.factories.plans import CommissionPlanFactory
from tests.lengths import in_any_order

MONTH = timedelta(days=31)


def renew(till, number: int, *, net: str = "50.00") -> None:
    till.pay(
        net,
        invoice=f"renewal-{number}",
        renewal=number,
        at=PAID_AT + number * MONTH,
    )


def sales() -> list[tuple[str, int]]:
    return list(
        Sale.objects.order_by("renewal_number").values_list(
            "invoice_ref", "renewal_number"
        )
    )


def earned() -> list[int]:
    return list(
        Commission.objects.order_by("sale__renewal_number").values_list(
            "amount", flat=True
        )
    )


@in_any_order("events", [0, 1, 2])
def test_order_and_renewals_in_any_order_make_a_sale_each(
    events, plan, order, till, balance
):
    for number in events:
        for _ in range(2):
            if number == 0:
                till.pay()
            else:
                renew(till, number)

    assert sales() == [("invoice-1", 0), ("renewal-1", 1), ("renewal-2", 2)]
    assert earned() == [1000, 500, 500]
    assert balance() == {Account.EXPENSE: -2000, Account.PENDING: 2000}


def test_refund_is_of_its_invoice(plan, order, till):
    till.pay()
    renew(till, 1)

    till.refund("50.00", invoice="renewal-1")

    first, renewal = Commission.objects.order_by("pk")
    assert (first.status, first.reversals.count()) == ("pending", 0)
    assert (renewal.status, renewal.reversals.get().amount) == ("reversed", -500)


def test_refund_before_the_renewals_payment_is_counted_with_it(plan, order, till):
    till.refund("25.00", invoice="renewal-1")
    renew(till, 1)

    assert Commission.objects.get().reversals.get().amount == -250


def test_initial_invoice_is_no_renewal_whatever_number_is_told(plan, order, till):
    till.pay(renewal=1)

    assert sales() == [("invoice-1", 0)]


def test_renewals_stay_on_the_plans_version_of_the_order(plan, order, till):
    till.pay()
    plan.rules.update(percent=50)
    publish_plan(plan, now=NOW + timedelta(days=1))

    renew(till, 1)

    assert earned() == [1000, 500]


def test_renewals_stay_on_the_plan_of_the_order(plan, brand, order, till):
    till.pay()
    other = CommissionPlanFactory(brand=brand, rules=[{"percent": 90}])
    Affiliate.objects.update(plan=other)

    renew(till, 1)

    assert earned() == [1000, 500]


def test_positions_are_counted_from_the_order(brand, order, till):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        rules=[{"percent": 10, "position_to": 1}],
    )
    till.pay()
    renew(till, 1)
    renew(till, 2)

    assert earned() == [1000, 500, 0]


def test_orders_have_renewals_of_the_same_number(plan, affiliate, buyer, order, till):
    order_of(affiliate, buyer, order_ref="order-2", invoice_ref="invoice-2")

    renew(till, 1)
    till.pay(order="order-2", invoice="renewal-of-2", renewal=1)

    assert sorted(sales()) == [("renewal-1", 1), ("renewal-of-2", 1)]


def test_invoice_that_is_neither_the_initial_one_nor_a_renewal_makes_no_sale(
    plan, order, till
):
    till.pay(invoice="invoice-9")

    assert sales() == []


def test_renewal_of_nobodys_order_makes_no_sale(plan, order, till):
    renew_of_another = {"order": "order-9", "invoice": "renewal-9", "renewal": 1}

    till.pay(**renew_of_another)

    assert InvoicePayment.objects.count() == 1
    assert sales() == []


def test_initial_invoice_told_after_a_renewal_earns_by_the_same_plan(
    plan, affiliate, order, till
):
    renew(till, 1)
    affiliate.plan = CommissionPlanFactory(brand=plan.brand, rules=[{"percent": 50}])
    affiliate.save()

    till.pay()

    versions = Commission.objects.values_list("plan_version__plan", flat=True)
    assert list(versions) == [plan.pk, plan.pk]


def test_second_invoice_of_one_renewal_is_refused(plan, order, till):
    renew(till, 1)

    with pytest.raises(InvalidInput) as refusal:
        till.pay(invoice="another", renewal=1)

    assert refusal.value.code == "renewal_exists"
    assert InvoicePayment.objects.count() == 1
    assert sales() == [("renewal-1", 1)]


@pytest.mark.parametrize("number", [-1, 2**31])
def test_renewal_that_cannot_be_counted_is_refused(number, plan, order, till):
    with pytest.raises(InvalidInput) as refusal:
        till.pay(renewal=number)

    assert refusal.value.code == "invalid_renewal"
    assert InvoicePayment.objects.count() == 0


def test_initial_invoice_told_as_a_renewal_is_the_initial_one(plan, order, till):
    till.pay(renewal=3)

    assert sales() == [("invoice-1", 0)]


def test_integration_is_told_of_the_initial_invoice_only(
    plan, affiliate, buyer, brand, till
):
    integration = TrackingIntegrationFactory(
        brand=brand, config={"username": "merchant@example.com"}
    )
    order_of(
        affiliate,
        buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        integration=integration,
        external_visitor_id="0f3c9a7be2d14c55a1b2c3d4e5f60718",
        external_touched_at=NOW - timedelta(days=1),
    )

    till.pay()
    renew(till, 1)
    till.refund("50.00", invoice="renewal-1")

    assert Delivery.objects.get().order_ref == "invoice-1"
