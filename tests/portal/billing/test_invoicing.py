from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection, transaction
from moneyed import Money

from affiliates.errors import InvalidInput
from portal.billing.invoicing import draft_invoice, issue_invoice, next_invoice_number
from portal.billing.models import Invoice, InvoiceCounter, InvoiceLine
from portal.billing.rules import format_invoice_number
from portal.orders.models import Order
from tests.database import nothing_written
from tests.factories.portal import (
    ClientFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    convert_order,
)
from tests.portal.conftest import RACERS
from tests.races import at_once, needs_postgresql


@pytest.fixture
def order(client) -> Order:
    return OrderFactory(client=client)


@pytest.fixture
def details(client):
    return PaymentDetailsFactory(client=client, gateway="acme")


def test_what_is_sold_no_more_is_not_invoiced(client, order, details, now):
    OrderItemFactory(order=order)
    gone = ProductFactory(brand=client.brand, name="Old plan", is_active=False)
    OrderItemFactory(order=order, product=gone)

    with (
        nothing_written(),
        pytest.raises(InvalidInput) as refusal,
        transaction.atomic(),
    ):
        convert_order(
            order_id=order.pk,
            client_id=client.pk,
            payment_details_id=details.pk,
            now=now,
        )

    assert (refusal.value.code, refusal.value.field) == ("does_not_exist", "product_id")
    assert (
        refusal.value.detail == "Old plan is sold no more: take it out of the basket."
    )
    order.refresh_from_db()
    assert order.status == "basket"


def test_an_order_placed_before_its_product_went_stays(client, order, details, now):
    item = OrderItemFactory(order=order)

    def convert() -> Invoice:
        return convert_order(
            order_id=order.pk,
            client_id=client.pk,
            payment_details_id=details.pk,
            now=now,
        )

    first = convert()
    item.product.is_active = False
    item.product.save()

    assert convert() == first


def test_a_basket_becomes_an_invoice(client, order, details, now):
    hosting = ProductFactory(brand=client.brand, sku="plan", name="Plan")
    setup = ProductFactory(
        brand=client.brand,
        sku="setup",
        name="Moving in",
        kind="setup",
        billing_cycle="one_time",
        price=Money("0.99", "EUR"),
        tax_rate=Decimal(7),
    )
    OrderItemFactory(order=order, product=hosting, quantity=2)
    OrderItemFactory(order=order, product=setup, quantity=1)

    invoice = convert_order(
        order_id=order.pk, client_id=client.pk, payment_details_id=details.pk, now=now
    )

    stored = Invoice.objects.get()
    assert stored == invoice
    assert (stored.number, stored.status, stored.gateway) == (
        "INV-000001",
        "unpaid",
        "acme",
    )
    assert (stored.brand, stored.client, stored.order) == (client.brand, client, order)
    assert stored.payment_details == details
    assert (stored.created_at, stored.paid_at) == (now, None)
    assert stored.net == Money("18.99", "EUR")
    assert stored.tax == Money("3.49", "EUR")
    assert stored.gross == Money("22.48", "EUR")
    lines = stored.lines.values_list(
        "position", "description", "product_ref", "kind", "billing_cycle", "quantity"
    )
    assert list(lines) == [
        (1, "Plan", "plan", "hosting", "monthly", 2),
        (2, "Moving in", "setup", "setup", "one_time", 1),
    ]
    assert [(line.net, line.tax) for line in stored.lines.all()] == [
        (Money("18.00", "EUR"), Money("3.42", "EUR")),
        (Money("0.99", "EUR"), Money("0.07", "EUR")),
    ]
    order.refresh_from_db()
    assert (order.status, order.converted_at) == ("converted", now)


def test_a_repeat_finds_the_first_invoice(client, order, details, now):
    OrderItemFactory(order=order)
    request = {"order_id": order.pk, "client_id": client.pk}
    first = convert_order(**request, payment_details_id=details.pk, now=now)

    again = convert_order(
        **request, payment_details_id=2**62, now=now + timedelta(days=1)
    )

    assert again == first
    assert again.created_at == now
    assert Invoice.objects.count() == 1
    assert InvoiceLine.objects.count() == 1
    assert InvoiceCounter.objects.get().last_number == 1


def assert_nothing_written(order: Order) -> None:
    order.refresh_from_db()
    assert (order.status, order.converted_at) == ("basket", None)
    assert not Invoice.objects.exists()
    assert not InvoiceCounter.objects.exists()


def test_an_empty_basket_is_refused(client, order, details, now):
    with pytest.raises(InvalidInput) as refusal, transaction.atomic():
        convert_order(
            order_id=order.pk,
            client_id=client.pk,
            payment_details_id=details.pk,
            now=now,
        )

    assert (refusal.value.code, refusal.value.field) == ("basket_empty", None)
    assert_nothing_written(order)


@pytest.mark.parametrize("_case", ["somebody else's", "absent", "the largest id"])
def test_payment_details_must_be_the_clients(_case, client, order, other_client, now):
    OrderItemFactory(order=order)
    details_id = {
        "somebody else's": PaymentDetailsFactory(client=other_client).pk,
        "absent": 1_000_000,
        "the largest id": 2**63 - 1,
    }[_case]

    with pytest.raises(InvalidInput) as refusal, transaction.atomic():
        convert_order(
            order_id=order.pk,
            client_id=client.pk,
            payment_details_id=details_id,
            now=now,
        )

    assert (refusal.value.code, refusal.value.field) == (
        "invalid",
        "payment_details_id",
    )
    assert_nothing_written(order)


def test_each_brand_counts_its_own_invoices(client, other_brand, invoice_of):
    stranger = ClientFactory(brand=other_brand)

    numbers = [invoice_of(user).number for user in (client, client, stranger, client)]

    assert numbers == ["INV-000001", "INV-000002", "INV-000001", "INV-000003"]


def test_a_number_of_a_refused_conversion_is_used_again(client):
    with transaction.atomic():
        undone = next_invoice_number(brand_id=client.brand_id)
        transaction.set_rollback(True)

    assert undone == 1
    assert next_invoice_number(brand_id=client.brand_id) == 1


def test_the_largest_basket_fits(client, order, details, now):
    OrderItemFactory.create_batch(
        100,
        order=order,
        quantity=1000,
        product__price=Money("4999999", "EUR"),
        product__tax_rate=Decimal(100),
    )

    invoice = convert_order(
        order_id=order.pk, client_id=client.pk, payment_details_id=details.pk, now=now
    )

    invoice.refresh_from_db()
    assert invoice.gross == Money("999999800000", "EUR")


def test_conversion_takes_few_queries(
    client, order, details, now, django_assert_num_queries
):
    OrderItemFactory.create_batch(5, order=order)

    # The order, its items; the lines, the number and the invoice, on PostgreSQL in one.
    with django_assert_num_queries({"postgresql": 3, "sqlite": 5}[connection.vendor]):
        draft = draft_invoice(
            order_id=order.pk,
            client_id=client.pk,
            payment_details_id=details.pk,
            now=now,
        )
        issue_invoice(draft)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_100_racing_conversions_one_makes_the_invoice(client, order, details, now):
    OrderItemFactory(order=order)

    def convert(number: int) -> list[str]:
        return [
            convert_order(
                order_id=order.pk,
                client_id=client.pk,
                payment_details_id=details.pk,
                now=now,
            ).number
            for _ in range(2)
        ]

    assert at_once(RACERS, convert) == [["INV-000001"] * 2] * RACERS
    assert Invoice.objects.count() == 1
    assert InvoiceLine.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_conversions_of_a_brand_are_numbered_without_gaps(client, details, now):
    orders = OrderFactory.create_batch(40, client=client)
    for order in orders[::2]:  # every other basket is empty and refused
        OrderItemFactory(order=order)

    def convert(number: int) -> str:
        try:
            return convert_order(
                order_id=orders[number].pk,
                client_id=client.pk,
                payment_details_id=details.pk,
                now=now,
            ).number
        except InvalidInput as refusal:
            return refusal.code

    results = at_once(40, convert)

    assert results.count("basket_empty") == 20
    assert sorted(set(results) - {"basket_empty"}) == [
        f"INV-{number:06d}" for number in range(1, 21)
    ]
    assert Order.objects.filter(status="converted").count() == 20


@needs_postgresql
@pytest.mark.parametrize("before", [0, 41, 999_998, 999_999])
def test_the_database_writes_numbers_as_we_do(client, invoice_of, before):
    InvoiceCounter.objects.create(brand=client.brand, last_number=before)

    assert invoice_of(client).number == format_invoice_number(before + 1)
