"""Turning a basket into its initial invoice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import OuterRef, Subquery

from affiliates.errors import InvalidInput, NotFound
from portal.billing.models import Invoice, InvoiceLine
from portal.billing.rules import format_invoice_number
from portal.money import Amounts, total_amounts
from portal.orders.models import Order, OrderItem, OrderStatus, PaymentDetails

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

    Raises NotFound, or InvalidInput for an empty basket or foreign payment details.
    """
    # Claims and locks the order in one statement: of many conversions one gets through.
    claimed = Order.objects.filter(
        pk=order_id, client_id=client_id, status=OrderStatus.BASKET
    ).update(status=OrderStatus.CONVERTED, converted_at=now)
    if not claimed:
        return _existing_invoice(order_id=order_id, client_id=client_id)
    items, gateway = _basket(order_id, payment_details_id=payment_details_id)
    if not items:
        raise InvalidInput("basket_empty", "The basket is empty.")
    if gateway is None:
        raise InvalidInput(
            "invalid", "These are not your payment details.", field="payment_details_id"
        )
    invoice = _create_invoice(
        items[0].order,
        amounts=total_amounts(
            (item.amounts for item in items), currency=items[0].order.currency
        ),
        payment_details_id=payment_details_id,
        gateway=gateway,
        now=now,
    )
    InvoiceLine.objects.bulk_create(_lines(invoice, items))
    return invoice


def _existing_invoice(*, order_id: UUID, client_id: UUID) -> Invoice:
    invoice = (
        Invoice.objects.filter(order_id=order_id, client_id=client_id)
        .select_related("order")
        .first()
    )
    if invoice is None:
        raise NotFound
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


def _create_invoice(
    order: Order,
    *,
    amounts: Amounts,
    payment_details_id: int,
    gateway: str,
    now: datetime,
) -> Invoice:
    # The number last: from here until the commit, the brand's other conversions wait.
    return Invoice.objects.create(
        number=format_invoice_number(next_invoice_number(brand_id=order.brand_id)),
        brand_id=order.brand_id,
        client_id=order.client_id,
        order=order,
        payment_details_id=payment_details_id,
        gateway=gateway,
        net=amounts.net,
        tax=amounts.tax,
        gross=amounts.gross,
        created_at=now,
    )


def _lines(invoice: Invoice, items: Sequence[OrderItem]) -> Sequence[InvoiceLine]:
    return [
        InvoiceLine(
            invoice=invoice,
            position=position,
            description=item.product.name,
            product_ref=item.product.sku,
            kind=item.product.kind,
            billing_cycle=item.product.billing_cycle,
            quantity=item.quantity,
            unit_price=item.unit_price,
            tax_rate=item.tax_rate,
            net=item.amounts.net,
            tax=item.amounts.tax,
        )
        for position, item in enumerate(items, start=1)
    ]


def next_invoice_number(*, brand_id: int) -> int:
    """The brand's next number, without gaps: a rollback gives it back.

    One statement counts, locks and makes the brand's first row; the ORM has no such.
    """
    with connection.cursor() as cursor:
        cursor.execute(NEXT_NUMBER, [brand_id])
        (number,) = cursor.fetchone()
    return int(number)
