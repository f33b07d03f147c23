"""Turning a basket into its initial invoice, and numbering every invoice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import RawSQL

from affiliates.errors import InvalidInput
from affiliates.extending import insert_statement
from portal.billing.models import Invoice, InvoiceLine
from portal.billing.renewal_rules import invoiced_periods, next_renewal_at
from portal.billing.rules import format_invoice_number
from portal.gateways import MANUAL
from portal.ids import require_row
from portal.money import sum_money
from portal.orders.models import (
    Order,
    OrderItem,
    OrderStatus,
    PaymentDetails,
    price_items,
)
from portal.orders.rules import CouponRefusal

BANK_TRANSFER = "Bank transfer"
NEXT_NUMBER = """
    INSERT INTO portal_invoicecounter (brand_id, last_number) VALUES (%s, 1)
    ON CONFLICT (brand_id) DO UPDATE
        SET last_number = portal_invoicecounter.last_number + 1
    RETURNING last_number
"""
# As ``format_invoice_number``.
NUMBER = RawSQL(
    "SELECT 'INV-' || lpad(last_number::text, greatest(6, length(last_number::text)), '0') "
    "FROM counter",
    [],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceDraft:
    """An order's initial invoice before it is written; without lines it was before.

    Without payment details it is paid by bank transfer.
    """

    invoice: Invoice
    lines: Sequence[InvoiceLine]
    client_paid_before: bool
    payment_details_id: int | None = None


def draft_invoice(
    *, order_id: UUID, client_id: UUID, payment_details_id: int | None, now: datetime
) -> InvoiceDraft:
    """The initial invoice of the client's order, which it marks as converted.

    To be called in a transaction, which a refusal must end. Without payment details the
    invoice is paid by bank transfer. Raises NotFound, and InvalidInput for an empty
    basket, for one with what is sold no more, or for foreign payment details.
    """
    # Marks and locks the order in one statement: nothing in it changes until the commit.
    marked = Order.objects.filter(
        pk=order_id, client=client_id, status=OrderStatus.BASKET
    ).update(status=OrderStatus.CONVERTED, converted_at=now)
    if not marked:
        return _drafted_before(order_id, client_id)
    items = _basket(order_id, payment_details_id=payment_details_id)
    if not items:
        raise InvalidInput("basket_empty", "The basket is empty.")
    order, gateway = items[0].order, items[0].gateway
    if gateway is None:
        raise InvalidInput(
            "invalid", "These are not your payment details.", field="payment_details_id"
        )
    _require_for_sale(items)
    _require_new_client(items[0])
    lines = _lines(items, percent_off=order.percent_off)
    invoice = Invoice(
        order=order,
        gateway=gateway,
        renews_at=next_renewal_at(invoiced_periods(lines), began_at=now),
        created_at=now,
    )
    return InvoiceDraft(
        invoice=invoice,
        lines=lines,
        client_paid_before=items[0].client_paid_before,
        payment_details_id=payment_details_id,
    )


def issue_invoice(draft: InvoiceDraft) -> Invoice:
    """Write the invoice, in the transaction that drafted it; once it is written, nothing."""
    invoice, order = draft.invoice, draft.invoice.order
    if not draft.lines:
        return invoice
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
    for line in lines:
        line.invoice = invoice
    if connection.vendor == "postgresql":
        _insert_numbered(invoice, lines)
        return invoice
    # Before their invoice: the database checks references at the commit.
    InvoiceLine.objects.bulk_create(lines)
    number = next_invoice_number(brand_id=invoice.brand_id)
    invoice.number = format_invoice_number(number)
    invoice.save(force_insert=True)
    return invoice


def _insert_numbered(invoice: Invoice, lines: Sequence[InvoiceLine]) -> None:
    """Counts, numbers and writes in one statement of PostgreSQL.

    From there until the commit the brand's other invoices wait.
    """
    invoice.number = NUMBER
    of_lines, line_values = insert_statement(lines)
    of_invoice, values = insert_statement([invoice])
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH counter AS ({NEXT_NUMBER}), lines AS ({of_lines}) "
            f"{of_invoice} RETURNING number",
            [invoice.brand_id, *line_values, *values],
        )
        (invoice.number,) = cursor.fetchone()
    invoice._state.db, invoice._state.adding = connection.alias, False


def _drafted_before(order_id: UUID, client_id: UUID) -> InvoiceDraft:
    invoices: QuerySet[Any] = Invoice.objects.filter(
        order=order_id, client=client_id, renewal_number=0
    ).annotate(client_paid_before=_client_paid_before("client", "order"))
    invoice = require_row(invoices.select_related("order__client", "order__coupon"))
    return InvoiceDraft(
        invoice=invoice, lines=(), client_paid_before=invoice.client_paid_before
    )


def _basket(order_id: UUID, *, payment_details_id: int | None) -> list[Any]:
    """The items, each with its order and the ``gateway``.

    That is None where the payment details are not the client's.
    """
    gateway: Value | Subquery = Value(MANUAL)
    if payment_details_id is not None:
        details = PaymentDetails.objects.filter(
            pk=payment_details_id, client=OuterRef("order__client")
        )
        gateway = Subquery(details.values("gateway"))
    items = OrderItem.objects.filter(order=order_id).annotate(
        gateway=gateway,
        client_paid_before=_client_paid_before("order__client", "order"),
    )
    return list(items.select_related("product", "order__client", "order__coupon"))


def _client_paid_before(client: str, order: str) -> Exists:
    """Whether the client has paid for another order than this."""
    paid = Invoice.objects.filter(client=OuterRef(client), paid_at__isnull=False)
    return Exists(paid.exclude(order=OuterRef(order)))


def _require_for_sale(items: Sequence[OrderItem]) -> None:
    for item in items:
        if not item.product.is_active:
            raise InvalidInput(
                "does_not_exist",
                f"{item.product} is sold no more: take it out of the basket.",
                field="product_id",
            )


def _require_new_client(item: Any) -> None:
    coupon = item.order.coupon
    if coupon is not None and coupon.for_new_clients and item.client_paid_before:
        refusal = CouponRefusal.NEW_CLIENTS
        raise InvalidInput(refusal, f"{refusal.label} Take it off.", field="code")


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
