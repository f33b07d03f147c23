"""Turning a basket into its initial invoice, and numbering every invoice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import OuterRef, Subquery

from affiliates.errors import InvalidInput
from portal.billing.models import Invoice, InvoiceLine
from portal.billing.renewal_rules import invoiced_periods, next_renewal_at
from portal.billing.rules import format_invoice_number
from portal.ids import require_row
from portal.money import sum_money
from portal.orders.models import (
    Order,
    OrderItem,
    OrderStatus,
    PaymentDetails,
    price_items,
)

NEXT_NUMBER = """
    INSERT INTO portal_invoicecounter (brand_id, last_number) VALUES (%s, 1)
    ON CONFLICT (brand_id) DO UPDATE
        SET last_number = portal_invoicecounter.last_number + 1
    RETURNING last_number
"""


# No savepoint: the caller's transaction ends with the refusal anyway.
@transaction.atomic(savepoint=False)
def convert_order(
    *, order_id: UUID, client_id: UUID, payment_details_id: int, now: datetime
) -> Invoice:
    """The order's one invoice: made by the first call, found by every other.

    Raises NotFound, or InvalidInput for an empty basket, for one with what is sold no
    more, or for foreign payment details.
    """
    # Marks and locks the order in one statement: of many conversions one gets through.
    converted = Order.objects.filter(
        pk=order_id, client_id=client_id, status=OrderStatus.BASKET
    ).update(status=OrderStatus.CONVERTED, converted_at=now)
    if not converted:
        made = Invoice.objects.filter(
            order_id=order_id, client_id=client_id, renewal_number=0
        )
        return require_row(made.select_related("order"))
    items, gateway = _basket(order_id, payment_details_id=payment_details_id)
    if not items:
        raise InvalidInput("basket_empty", "The basket is empty.")
    if gateway is None:
        raise InvalidInput(
            "invalid", "These are not your payment details.", field="payment_details_id"
        )
    _require_for_sale(items)
    lines = _lines(items)
    return create_invoice(
        Invoice(
            order=items[0].order,
            payment_details_id=payment_details_id,
            gateway=gateway,
            renews_at=next_renewal_at(invoiced_periods(lines), began_at=now),
            created_at=now,
        ),
        lines,
    )


def create_invoice(invoice: Invoice, lines: Sequence[InvoiceLine]) -> Invoice:
    """Add up, number and write an invoice of an order, in the caller's transaction."""
    order = invoice.order
    currency = lines[0].net.currency
    invoice.brand_id, invoice.client_id = order.brand_id, order.client_id
    invoice.net = sum_money((line.net for line in lines), currency=currency)
    invoice.tax = sum_money((line.tax for line in lines), currency=currency)
    invoice.gross = invoice.net + invoice.tax
    # The number last: from here until the commit, the brand's other invoices wait.
    invoice.number = format_invoice_number(
        next_invoice_number(brand_id=invoice.brand_id)
    )
    invoice.save(force_insert=True)
    for line in lines:
        line.invoice = invoice
    InvoiceLine.objects.bulk_create(lines)
    return invoice


def _basket(
    order_id: UUID, *, payment_details_id: int
) -> tuple[Sequence[OrderItem], str | None]:
    """The items, and the gateway of the payment details if they are the client's."""
    details = PaymentDetails.objects.filter(
        pk=payment_details_id, client=OuterRef("order__client")
    )
    items = list(
        OrderItem.objects.filter(order_id=order_id)
        .select_related("order", "product")
        .annotate(gateway=Subquery(details.values("gateway")))
    )
    return items, items[0].gateway if items else None


def _require_for_sale(items: Sequence[OrderItem]) -> None:
    for item in items:
        if not item.product.is_active:
            raise InvalidInput(
                "does_not_exist",
                f"{item.product} is sold no more: take it out of the basket.",
                field="product_id",
            )


def _lines(items: Sequence[OrderItem]) -> list[InvoiceLine]:
    priced_items = price_items(items, percent_off=items[0].order.percent_off)
    return [
        InvoiceLine(
            position=position,
            description=priced.item.product.name,
            product_ref=priced.item.product.sku,
            kind=priced.item.product.kind,
            tld=priced.item.product.tld,
            operation=priced.item.product.operation,
            billing_cycle=priced.item.product.billing_cycle,
            quantity=priced.item.quantity,
            unit_price=priced.item.unit_price,
            tax_rate=priced.item.tax_rate,
            discount_amount=priced.amounts.discount.amount,
            net=priced.amounts.net,
            tax=priced.amounts.tax,
        )
        for position, priced in enumerate(priced_items, start=1)
    ]


def next_invoice_number(*, brand_id: int) -> int:
    """The brand's next number, without gaps: a rollback gives it back.

    One statement counts, locks and makes the brand's first row; the ORM has no such.
    """
    with connection.cursor() as cursor:
        cursor.execute(NEXT_NUMBER, [brand_id])
        (number,) = cursor.fetchone()
    return int(number)
