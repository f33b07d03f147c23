"""Turning a basket into its initial invoice, and numbering every invoice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import connection
from django.db.models import Subquery

from affiliates.errors import InvalidInput
from portal.billing.models import Invoice, InvoiceLine
from portal.billing.renewal_rules import invoiced_periods, next_renewal_at
from portal.billing.rules import format_invoice_number
from portal.gateways import MANUAL
from portal.money import sum_money
from portal.orders.models import (
    Order,
    OrderItem,
    OrderStatus,
    PaymentDetails,
    price_items,
)

BANK_TRANSFER = "Bank transfer"
NEXT_NUMBER = """
    INSERT INTO portal_invoicecounter (brand_id, last_number) VALUES (%s, 1)
    ON CONFLICT (brand_id) DO UPDATE
        SET last_number = portal_invoicecounter.last_number + 1
    RETURNING last_number
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceDraft:
    """An order's initial invoice before it is written; without lines it was before.

    Without payment details it is paid by bank transfer.
    """

    invoice: Invoice
    lines: Sequence[InvoiceLine]
    payment_details_id: int | None = None


def draft_invoice(
    order: Order, *, payment_details_id: int | None, now: datetime
) -> InvoiceDraft:
    """The initial invoice of the order, which the caller has locked. Writes nothing.

    Without payment details it is paid by bank transfer. Raises InvalidInput for an empty
    basket, for one with what is sold no more, or for foreign payment details.
    """
    if order.status == OrderStatus.CONVERTED:
        made = Invoice.objects.get(order=order, renewal_number=0)
        made.order = order
        return InvoiceDraft(invoice=made, lines=())
    items, gateway = _basket(order, payment_details_id=payment_details_id)
    if not items:
        raise InvalidInput("basket_empty", "The basket is empty.")
    if gateway is None:
        raise InvalidInput(
            "invalid", "These are not your payment details.", field="payment_details_id"
        )
    _require_for_sale(items)
    lines = _lines(items, percent_off=order.percent_off)
    invoice = Invoice(
        order=order,
        gateway=gateway,
        renews_at=next_renewal_at(invoiced_periods(lines), began_at=now),
        created_at=now,
    )
    return InvoiceDraft(
        invoice=invoice, lines=lines, payment_details_id=payment_details_id
    )


def issue_invoice(draft: InvoiceDraft) -> Invoice:
    """Write the invoice, in the transaction that drafted it; once it is written, nothing."""
    invoice, order = draft.invoice, draft.invoice.order
    if not draft.lines:
        return invoice
    order.status, order.converted_at = OrderStatus.CONVERTED, invoice.created_at
    order.save(update_fields=["status", "converted_at"])
    details_id = draft.payment_details_id
    if details_id is None:
        details = PaymentDetails.objects.create(
            client_id=order.client_id,
            gateway=invoice.gateway,
            label=BANK_TRANSFER,
            created_at=invoice.created_at,
        )
        details_id = details.pk
    invoice.payment_details_id = details_id
    return create_invoice(invoice, draft.lines)


def create_invoice(invoice: Invoice, lines: Sequence[InvoiceLine]) -> Invoice:
    """Add up, number and write an invoice of an order, in the caller's transaction."""
    order = invoice.order
    currency = lines[0].net.currency
    invoice.brand_id, invoice.client_id = order.brand_id, order.client_id
    invoice.net = sum_money((line.net for line in lines), currency=currency)
    invoice.tax = sum_money((line.tax for line in lines), currency=currency)
    invoice.gross = invoice.net + invoice.tax
    # Before their invoice: the database checks references at the commit.
    for line in lines:
        line.invoice = invoice
    InvoiceLine.objects.bulk_create(lines)
    # The number last: from here until the commit, the brand's other invoices wait.
    invoice.number = format_invoice_number(
        next_invoice_number(brand_id=invoice.brand_id)
    )
    invoice.save(force_insert=True)
    return invoice


def _basket(
    order: Order, *, payment_details_id: int | None
) -> tuple[Sequence[OrderItem], str | None]:
    """The items, and the gateway; None where the payment details are not the client's."""
    items = OrderItem.objects.filter(order=order).select_related("product")
    if payment_details_id is None:
        return list(items), MANUAL
    details = PaymentDetails.objects.filter(
        pk=payment_details_id, client=order.client_id
    )
    found = list(items.annotate(gateway=Subquery(details.values("gateway"))))
    return found, found[0].gateway if found else None


def _require_for_sale(items: Sequence[OrderItem]) -> None:
    for item in items:
        if not item.product.is_active:
            raise InvalidInput(
                "does_not_exist",
                f"{item.product} is sold no more: take it out of the basket.",
                field="product_id",
            )


def _lines(items: Sequence[OrderItem], *, percent_off: Decimal) -> list[InvoiceLine]:
    priced_items = price_items(items, percent_off=percent_off)
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
