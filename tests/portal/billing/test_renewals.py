"""Renewal invoices: when they are due, what they hold, and that each is made once."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from moneyed import Money

from affiliates.errors import NotFound, StateConflict
from affiliates.worker.registry import job_named
from portal.billing.models import Invoice, InvoiceLine
from portal.billing.renewals import issue_renewals, renew_order
from portal.billing.services import mark_paid, record_refund
from portal.orders.services import end_service
from tests.factories.portal import (
    CouponFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    convert_order,
)
from tests.portal.conftest import RACERS
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.usefixtures("told")
IN_A_MONTH = datetime(2026, 4, 1, 12, tzinfo=UTC)
IN_TWO_MONTHS = datetime(2026, 5, 1, 12, tzinfo=UTC)
IN_A_YEAR = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def invoice(client, invoice_of) -> Invoice:
    return invoice_of(client)


@pytest.fixture
def paid(invoice, now) -> Invoice:
    mark_paid(invoice_id=invoice.pk, now=now)
    return invoice


@pytest.fixture
def order_of(client, now):
    """A paid order of these products."""

    def make(*products, coupon=None) -> Invoice:
        order = OrderFactory(client=client, coupon=coupon)
        for product in products:
            OrderItemFactory(order=order, product=product)
        invoice = convert_order(
            order_id=order.pk,
            client_id=client.pk,
            payment_details_id=PaymentDetailsFactory(client=client).pk,
            now=now,
        )
        mark_paid(invoice_id=invoice.pk, now=now)
        return invoice

    return make


def test_a_renewal_repeats_the_order_at_its_prices(paid):
    renewal = renew_order(order_id=paid.order_id, now=IN_A_MONTH)

    assert (renewal.renewal_number, renewal.number) == (1, "INV-000002")
    assert (renewal.order_id, renewal.client_id) == (paid.order_id, paid.client_id)
    assert (renewal.status, renewal.created_at) == ("unpaid", IN_A_MONTH)
    assert renewal.gross == paid.gross == Money("10.71", "EUR")
    assert renewal.renews_at == IN_TWO_MONTHS
    first, again = paid.lines.get(), renewal.lines.get()
    for name in ("description", "product_ref", "quantity", "unit_price", "net", "tax"):
        assert getattr(again, name) == getattr(first, name)


def test_a_changed_price_does_not_reach_the_order(paid):
    product = paid.order.items.get().product
    product.price = Money("99.00", "EUR")
    product.save()

    renewal = renew_order(order_id=paid.order_id, now=IN_A_MONTH)

    assert renewal.net == Money("9.00", "EUR")


def test_only_what_is_due_is_renewed(order_of, brand):
    hosting = ProductFactory(brand=brand)
    setup = ProductFactory(brand=brand, kind="setup")
    once = ProductFactory(brand=brand, billing_cycle="one_time")
    domain = ProductFactory(
        brand=brand,
        kind="domain",
        tld="com",
        operation="register",
        billing_cycle="annually",
    )
    invoice = order_of(hosting, setup, once, domain)

    monthly = renew_order(order_id=invoice.order_id, now=IN_A_MONTH)

    assert invoice.renews_at == IN_A_MONTH
    assert [line.product_ref for line in monthly.lines.all()] == [hosting.sku]


def test_a_domain_is_renewed_with_its_own_operation(order_of, brand):
    domain = ProductFactory(
        brand=brand,
        kind="domain",
        tld="com",
        operation="transfer",
        billing_cycle="annually",
    )
    invoice = order_of(domain)

    renewal = renew_order(order_id=invoice.order_id, now=IN_A_YEAR)

    assert [line.operation for line in invoice.lines.all()] == ["transfer"]
    line = renewal.lines.get()
    assert (line.tld, line.operation) == ("com", "renew")


def test_a_coupon_is_for_the_first_period(order_of, brand):
    coupon = CouponFactory(brand=brand)
    invoice = order_of(ProductFactory(brand=brand), coupon=coupon)

    renewal = renew_order(order_id=invoice.order_id, now=IN_A_MONTH)

    assert (invoice.net, renewal.net) == (Money("8.10", "EUR"), Money("9.00", "EUR"))
    assert renewal.discount == Money(0, "EUR")


def test_its_payment_names_the_renewal(paid, told):
    renewal = renew_order(order_id=paid.order_id, now=IN_A_MONTH)
    mark_paid(invoice_id=renewal.pk, now=IN_A_MONTH)

    initial, again = told
    assert (initial.renewal_number, again.renewal_number) == (0, 1)
    assert initial.order_ref == again.order_ref
    assert initial.invoice_ref != again.invoice_ref


def test_its_refund_is_of_its_own_invoice(paid, told):
    renewal = renew_order(order_id=paid.order_id, now=IN_A_MONTH)
    mark_paid(invoice_id=renewal.pk, now=IN_A_MONTH)

    record_refund(
        invoice_id=renewal.pk,
        gateway="acme",
        reference="re_1",
        amount=Money("10.71", "EUR"),
        kind="chargeback",
        now=IN_A_MONTH,
    )

    assert told[-1].invoice_ref == str(renewal.pk)
    paid.refresh_from_db()
    assert paid.status == "paid"


def test_an_unpaid_renewal_is_the_answer_until_it_is_paid(paid):
    first = renew_order(order_id=paid.order_id, now=IN_A_MONTH)

    assert renew_order(order_id=paid.order_id, now=IN_TWO_MONTHS) == first
    assert Invoice.objects.count() == 2


def test_every_period_is_invoiced_once(paid):
    first = renew_order(order_id=paid.order_id, now=IN_TWO_MONTHS)
    mark_paid(invoice_id=first.pk, now=IN_TWO_MONTHS)
    second = renew_order(order_id=paid.order_id, now=IN_TWO_MONTHS)
    mark_paid(invoice_id=second.pk, now=IN_TWO_MONTHS)

    with pytest.raises(StateConflict) as refusal:
        renew_order(order_id=paid.order_id, now=IN_TWO_MONTHS)

    assert refusal.value.code == "not_due"
    assert [first.renewal_number, second.renewal_number] == [1, 2]


def test_staff_may_be_early(paid, now):
    early = renew_order(order_id=paid.order_id, now=now, is_early=True)

    assert (early.renewal_number, early.renews_at) == (1, IN_TWO_MONTHS)


def refused(code: str, order_id, now, **options) -> None:
    before = Invoice.objects.count(), InvoiceLine.objects.count()
    with pytest.raises(StateConflict) as refusal:
        renew_order(order_id=order_id, now=now, **options)
    assert refusal.value.code == code
    assert (Invoice.objects.count(), InvoiceLine.objects.count()) == before


def test_a_period_that_has_not_ended_is_not_renewed(paid):
    refused("not_due", paid.order_id, datetime(2026, 4, 1, 11, 59, tzinfo=UTC))


def test_an_unpaid_order_is_not_renewed(invoice):
    refused("not_paid", invoice.order_id, IN_A_MONTH, is_early=True)


def test_an_ended_service_is_not_renewed(paid, now):
    end_service(order_id=paid.order_id, reason="Moved away", now=now)

    refused("service_ended", paid.order_id, IN_A_MONTH, is_early=True)


def test_a_basket_is_not_renewed(client, now):
    refused("not_converted", OrderFactory(client=client).pk, now)


def test_what_is_paid_once_is_not_renewed(order_of, brand):
    invoice = order_of(ProductFactory(brand=brand, billing_cycle="one_time"))

    assert invoice.renews_at is None
    refused("nothing_recurs", invoice.order_id, IN_A_YEAR, is_early=True)


def test_an_absent_order_is_not_found(db, now):
    with pytest.raises(NotFound):
        renew_order(order_id=uuid4(), now=now)


def test_the_batch_issues_all_that_is_due_and_nothing_twice(
    client, other_client, invoice_of, now
):
    due = [invoice_of(client), invoice_of(other_client)]
    yearly = invoice_of(client, product__billing_cycle="annually")
    for invoice in (*due, yearly):
        mark_paid(invoice_id=invoice.pk, now=now)
    invoice_of(client)
    ended = invoice_of(client)
    mark_paid(invoice_id=ended.pk, now=now)
    end_service(order_id=ended.order_id, reason="Moved away", now=now)

    issued = list(issue_renewals(now=IN_A_MONTH))
    again = list(issue_renewals(now=IN_A_MONTH))

    assert {invoice.order_id for invoice in issued} == {
        invoice.order_id for invoice in due
    }
    assert again == []
    assert Invoice.objects.filter(renewal_number=1).count() == 2


def test_the_command_says_how_many(paid):
    said = []
    for _ in range(2):
        output = StringIO()
        call_command("issue_renewals", stdout=output)
        said.append(output.getvalue())

    assert said == ["1 renewals issued\n", "0 renewals issued\n"]


def test_the_worker_issues_what_is_due_and_says_nothing_of_nothing(paid):
    job = job_named("issue_renewals")

    said = [job.run(lambda: IN_A_MONTH, lambda: False) for _ in range(2)]

    assert said == ["1 renewals issued.", ""]
    assert Invoice.objects.filter(renewal_number=1).count() == 1


def test_the_database_has_each_renewal_once(paid):
    renewal = renew_order(order_id=paid.order_id, now=IN_A_MONTH)

    with pytest.raises(IntegrityError), transaction.atomic():
        Invoice.objects.filter(pk=renewal.pk).update(renewal_number=0)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_renewals_make_one_invoice(paid):
    answers = at_once(
        RACERS, lambda _: renew_order(order_id=paid.order_id, now=IN_A_MONTH).pk
    )

    assert len(set(answers)) == 1
    assert Invoice.objects.filter(renewal_number=1).count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_batches_renew_every_order_once(client, invoice_of, now):
    for _ in range(5):
        mark_paid(invoice_id=invoice_of(client).pk, now=now)

    at_once(4, lambda _: list(issue_renewals(now=IN_A_MONTH)))

    renewals = Invoice.objects.filter(renewal_number=1)
    assert renewals.count() == renewals.values("order").distinct().count() == 5
