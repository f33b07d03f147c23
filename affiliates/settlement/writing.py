"""Writes the decision on a paid invoice, in one pass. It decides nothing."""

from __future__ import annotations

from datetime import datetime

from affiliates.commissions.life import Life
from affiliates.commissions.models import (
    Commission,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.services.steps import write_lives
from affiliates.fraud.services import write_review
from affiliates.outbox.services import queue_deliveries
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale, SaleReversal
from affiliates.sales.positions import renewal_of
from affiliates.settlement.announcements import (
    notify_affiliate,
    recorded,
    reversed_or_restored,
)
from affiliates.settlement.evidence import Earner, GatheredInvoice
from affiliates.settlement.types import InvoiceDecision
from affiliates.webhooks.announce import announce


def write(
    invoice: GatheredInvoice, decision: InvoiceDecision, *, now: datetime
) -> None:
    if invoice.known.sale is not None or decision.sale is not None:
        _write_credited(invoice, decision, now=now)
    tracked = invoice.tracked
    if decision.deliveries and tracked.integration is not None:
        queue_deliveries(
            tracked.integration,
            decision.deliveries,
            visitor_ref=tracked.external_visitor_id,
            known_since=tracked.converted_at,
            now=now,
        )


def _write_credited(
    invoice: GatheredInvoice, decision: InvoiceDecision, *, now: datetime
) -> None:
    sale, facts = invoice.known.sale, []
    if sale is None:
        sale = _write_sale(invoice, decision, now=now)
        facts.append(recorded(sale))
    write_review(sale, decision.review, now=now)
    reversals = _write_reversals(sale, invoice, decision, now=now)
    facts += [
        reversed_or_restored(invoice.changes[place], row) for place, row in reversals
    ]
    announce(facts, now=now)
    rows = invoice.commissions or _write_commissions(sale, invoice, decision)
    ids = {
        place: change.reversal_id
        for place, change in enumerate(invoice.changes)
        if change.reversal
    }
    ids |= {place: row.pk for place, row in reversals}
    CommissionReversal.objects.bulk_create(
        CommissionReversal(
            commission=row,
            sale_reversal_id=ids[place],
            amount=amount,
            recorded_at=now,
        )
        for row, life in zip(rows, decision.lives, strict=True)
        for place, amount in life.reversals
    )
    write_lives(rows, decision.lives, ids, now=now)
    if decision.sale is not None:
        notify_affiliate(sale, invoice.referral, rows[0] if rows else None, now=now)


def _write_sale(
    invoice: GatheredInvoice, decision: InvoiceDecision, *, now: datetime
) -> Sale:
    payment, referral = invoice.known.payment, invoice.referral
    if invoice.earner is None or decision.sale is None:
        raise ValueError("A sale is only recorded for an affiliate.")
    status, reason = decision.sale
    return Sale.objects.create(
        brand_id=payment.brand_id,
        order_referral=referral,
        payment=payment,
        invoice_ref=payment.invoice_ref,
        renewal_number=renewal_of(payment, referral),
        position=invoice.position,
        affiliate=invoice.earner.affiliate,
        status=status,
        reason=reason,
        net=payment.net,
        paid_at=payment.paid_at,
        recorded_at=now,
    )


def _write_reversals(
    sale: Sale, invoice: GatheredInvoice, decision: InvoiceDecision, *, now: datetime
) -> list[tuple[int, SaleReversal]]:
    """The reversals, each with the place of its refund."""
    made = []
    for place, net in decision.reversals:
        change = invoice.changes[place]
        is_refund = change.cancellation is None
        made.append(
            SaleReversal(
                sale=sale,
                refund=change.refund if is_refund else None,
                cancellation=change.cancellation,
                net=net,
                recorded_at=now,
            )
        )
    SaleReversal.objects.bulk_create(made)
    return [
        (place, row) for (place, _), row in zip(decision.reversals, made, strict=True)
    ]


def _write_commissions(
    sale: Sale, invoice: GatheredInvoice, decision: InvoiceDecision
) -> list[Commission]:
    """The sale's commission, and with its id the share of it."""
    earner = invoice.earner
    if decision.receipt is None or earner is None:
        return []
    own = _commission(sale, earner, earner.affiliate, decision.lives[0])
    own.save()
    lines = [
        CommissionLine(
            commission=own,
            position=made.position,
            amount=made.amount,
            receipt=made.receipt,
        )
        for made in decision.receipt.lines
    ]
    rows = [own]
    if decision.share is not None and earner.sharer is not None:
        share = _commission(sale, earner, earner.sharer, decision.lives[1])
        share.share_of = own
        share.save()
        inputs = {**decision.share["inputs"], "commission": own.pk}
        receipt = {**decision.share, "inputs": inputs}
        lines.append(
            CommissionLine(
                commission=share, position=1, amount=share.amount, receipt=receipt
            )
        )
        rows.append(share)
    CommissionLine.objects.bulk_create(lines)
    return rows


def _commission(
    sale: Sale, earner: Earner, affiliate: Affiliate, life: Life
) -> Commission:
    return Commission(
        brand_id=sale.brand_id,
        sale=sale,
        affiliate=affiliate,
        plan_version=earner.version,
        currency=life.currency,
        amount=life.amount,
        status=life.status,
        reason=life.judgement.why.reason,
        reason_details=dict(life.judgement.why.details),
        earned_at=sale.paid_at,
        matures_at=life.matures_at,
    )
