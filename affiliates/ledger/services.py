"""Payments and refunds as the host tells them, and the sales they make.

Facts are stored first; the sale follows from the facts. So the same events make the
same sale in whatever order, however often and however concurrently they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from moneyed import Money

from affiliates.contracts import (
    ConvertedOrder,
    InvoiceLine,
    OrderConversion,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.errors import InvalidInput
from affiliates.ledger import rules
from affiliates.ledger.models import (
    LINE_LIMITS,
    InvoicePayment,
    InvoiceRefund,
    Sale,
    SaleLine,
    SaleReversal,
)
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals import services as referrals
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules import Outcome


@transaction.atomic
def convert_order(
    *,
    conversion: OrderConversion,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    now: datetime,
) -> ConvertedOrder:
    """Convert the order; record its sale at once if its payment came first."""
    converted = referrals.convert_order(
        conversion=conversion,
        origin_brand_id=origin_brand_id,
        referral_cookie=referral_cookie,
        now=now,
    )
    _lock_invoice(converted.brand_id, converted.invoice_ref)
    _settle(converted.brand_id, converted.invoice_ref, now=now)
    return converted


@transaction.atomic
def record_payment(event: PaidInvoice, *, now: datetime) -> None:
    """Keep the payment and record the sale it makes. A repeat changes nothing.

    Raises InvalidInput for a line in another currency than the payment's or with a
    text beyond the contract's limits.
    """
    currency = event.gross.currency
    if any(line.net.currency != currency for line in event.lines):
        raise InvalidInput(
            "currency_mismatch", "Every line must be in the currency of the payment."
        )
    for line in event.lines:
        _require_storable(line)
    _lock_invoice(event.brand_id, event.invoice_ref)
    InvoicePayment.objects.bulk_create(
        [
            InvoicePayment(
                brand_id=event.brand_id,
                invoice_ref=event.invoice_ref,
                order_ref=event.order_ref,
                payment_ref=event.payment_ref,
                gross=event.gross,
                lines=[_line_to_json(line) for line in event.lines],
                paid_at=event.paid_at,
                received_at=now,
            )
        ],
        ignore_conflicts=True,
    )
    _settle(event.brand_id, event.invoice_ref, now=now)


@transaction.atomic
def record_refund(event: RefundedInvoice, *, now: datetime) -> None:
    """Keep the refund and reverse the sale in proportion. A repeat changes nothing.

    Raises InvalidInput unless the amount is positive and in the payment's currency.
    """
    if event.gross.amount <= 0:
        raise InvalidInput("invalid_amount", "A refund must be above zero.")
    _lock_invoice(event.brand_id, event.invoice_ref)
    InvoiceRefund.objects.bulk_create(
        [
            InvoiceRefund(
                brand_id=event.brand_id,
                invoice_ref=event.invoice_ref,
                refund_ref=event.refund_ref,
                kind=event.kind.value,
                gross=event.gross,
                refunded_at=event.refunded_at,
                received_at=now,
            )
        ],
        ignore_conflicts=True,
    )
    payment = _settle(event.brand_id, event.invoice_ref, now=now)
    if payment is not None and payment.gross.currency != event.gross.currency:
        raise InvalidInput(
            "currency_mismatch", "A refund must be in the currency of the payment."
        )


def _settle(brand_id: int, invoice_ref: str, *, now: datetime) -> InvoicePayment | None:
    """Bring the invoice's sale and reversals in line with the facts known by now.

    The caller holds the invoice's lock. Returns the invoice's payment, if it is known.
    """
    payment = (
        InvoicePayment.objects.filter(brand_id=brand_id, invoice_ref=invoice_ref)
        .select_related("sale")
        .first()
    )
    if payment is None:
        return None
    sale = getattr(payment, "sale", None) or _record_sale(payment, now=now)
    if sale is not None:
        _reverse(sale, payment, now=now)
    return payment


def _lock_invoice(brand_id: int, invoice_ref: str) -> None:
    """Let conversion, payment and refund of one invoice wait for each other.

    Each looks for the others' rows: without this, two that run at once would both
    miss the other. SQLite has one writer at a time anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))",
                [invoice_ref, brand_id],
            )


def _record_sale(payment: InvoicePayment, *, now: datetime) -> Sale | None:
    referral = (
        OrderReferral.objects.filter(
            brand_id=payment.brand_id, invoice_ref=payment.invoice_ref
        )
        .select_related("affiliate")
        .first()
    )
    if referral is None or referral.affiliate is None:
        return None
    status, reason = rules.judge_sale(
        decision_is_held=referral.outcome == Outcome.HELD.value,
        affiliate_is_active=referral.affiliate.status == AffiliateStatus.ACTIVE.value,
    )
    sale = Sale.objects.create(
        brand_id=payment.brand_id,
        order_referral=referral,
        payment=payment,
        invoice_ref=payment.invoice_ref,
        affiliate=referral.affiliate,
        status=status.value,
        reason=reason.value,
        net=_sum_of_lines(payment),
        paid_at=payment.paid_at,
        recorded_at=now,
    )
    SaleLine.objects.bulk_create(_lines(sale, payment))
    return sale


def _reverse(sale: Sale, payment: InvoicePayment, *, now: datetime) -> None:
    refunds = (
        InvoiceRefund.objects.filter(
            brand_id=sale.brand_id,
            invoice_ref=sale.invoice_ref,
            gross_currency=payment.gross.currency.code,
        )
        .select_related("reversal")
        .order_by("id")
    )
    settled = [refund for refund in refunds if hasattr(refund, "reversal")]
    refunded = sum(
        (refund.gross for refund in settled), Money(0, payment.gross.currency)
    )
    reversals = []
    for refund in refunds:
        if refund in settled:
            continue
        net = rules.reversal_amount(
            sale_net=sale.net,
            paid_gross=payment.gross,
            refunded_before=refunded,
            refund=refund.gross,
        )
        reversals.append(
            SaleReversal(sale=sale, refund=refund, net=-net, recorded_at=now)
        )
        refunded += refund.gross
    SaleReversal.objects.bulk_create(reversals)


def _sum_of_lines(payment: InvoicePayment) -> Money:
    currency = payment.gross.currency
    return sum(
        (Money(line["net"], currency) for line in payment.lines), Money(0, currency)
    )


def _lines(sale: Sale, payment: InvoicePayment) -> Sequence[SaleLine]:
    return [
        SaleLine(
            sale=sale,
            position=position,
            description=line["description"],
            product_ref=line["product_ref"],
            kind=line["kind"],
            billing_cycle=line["billing_cycle"],
            quantity=line["quantity"],
            net=Money(line["net"], payment.gross.currency),
        )
        for position, line in enumerate(payment.lines, start=1)
    ]


def _require_storable(line: InvoiceLine) -> None:
    for name, limit in LINE_LIMITS.items():
        if len(getattr(line, name)) > limit:
            raise InvalidInput(
                "too_long", f"A line's {name} has at most {limit} characters."
            )


def _line_to_json(line: InvoiceLine) -> dict[str, Any]:
    return {
        "description": line.description,
        "product_ref": line.product_ref,
        "kind": line.kind,
        "billing_cycle": line.billing_cycle,
        "quantity": line.quantity,
        "net": str(line.net.amount),
    }
