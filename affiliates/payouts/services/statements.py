"""The numbered statement of a paid payout, and the credit note if it is returned.

Both are written in the transaction that finishes the payout. The row of their series is
locked last, until that transaction ends: a number that is rolled back is used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Case, F, Value, When

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.selectors import taken_back_of
from affiliates.payouts.models import Payout
from affiliates.payouts.requirements.registry import note_on_statement, payee_of
from affiliates.payouts.rules import Numbering, StatementKind
from affiliates.payouts.selectors import payout_terms
from affiliates.payouts.statement_models import PayoutStatement, StatementSeries


def issue_statement(payout: Payout, *, now: datetime) -> PayoutStatement:
    """Issues it for the payout that the caller has locked and is marking as paid."""
    return _issue(payout, StatementKind.PAID, _document(payout, now=now), now=now)


def issue_credit_note(payout: Payout, *, now: datetime) -> PayoutStatement:
    """Names the statement that it reverses, if the payout has one."""
    original = payout.statements.filter(kind=StatementKind.PAID).first()
    document = dict(original.document) if original else _document(payout, now=now)
    document["corrects"] = original.name if original else ""
    document["reason"] = payout.reason
    document["returned_at"] = now.isoformat()
    return _issue(payout, StatementKind.RETURNED, document, now=now)


def _issue(
    payout: Payout, kind: StatementKind, document: dict[str, Any], *, now: datetime
) -> PayoutStatement:
    terms = payout_terms(payout.brand_id)
    of_affiliate = terms.numbering == Numbering.AFFILIATE
    series, _ = StatementSeries.objects.get_or_create(
        brand_id=payout.brand_id,
        affiliate=payout.affiliate if of_affiliate else None,
    )
    series = StatementSeries.objects.select_for_update(no_key=True).get(pk=series.pk)
    series.last_number += 1
    series.save(update_fields=["last_number"])
    owner = f"{payout.affiliate.code}-" if of_affiliate else ""
    is_paid = kind is StatementKind.PAID
    name = f"{terms.number_prefix}{owner}{series.last_number}"
    if is_paid:
        payout.change(stated_as=name)
    return PayoutStatement.objects.create(
        brand_id=payout.brand_id,
        payout=payout,
        kind=kind,
        series=series,
        number=series.last_number,
        name=name,
        currency=payout.currency,
        amount=payout.amount if is_paid else -payout.amount,
        document=document,
        issued_at=now,
    )


def _document(payout: Payout, *, now: datetime) -> dict[str, Any]:
    """The printed content. ``carried`` is the rest of the amount beside the lines.

    It holds refunds of commissions paid before, and staff's bonuses and deductions.
    """
    terms = payout_terms(payout.brand_id)
    lines = _lines(payout)
    client = get_adapter().get_client(str(payout.affiliate.user_id))
    payee = payee_of(payout.affiliate, now=now)
    return {
        "issuer": terms.issuer or payout.brand.name,
        "tax_note": note_on_statement(payout) or terms.tax_note,
        "affiliate": payout.affiliate.code,
        "recipient": client.email if client else "",
        **({"payee": payee} if payee else {}),
        "destination": {
            "kind": payout.destination.kind,
            "hint": payout.destination.hint,
        },
        "reference": payout.remote_ref,
        **(
            {"received": [payout.received_amount, payout.received_currency]}
            if payout.received_currency
            else {}
        ),
        "requested_at": payout.requested_at.isoformat(),
        "paid_at": now.isoformat(),
        "currency": payout.currency,
        "lines": lines,
        "carried": payout.amount - sum(line["amount"] for line in lines),
        "total": payout.amount,
    }


def _unless_share(path: str) -> Case:
    return Case(When(share_of__isnull=False, then=Value("")), default=F(path))


def _lines(payout: Payout) -> list[dict[str, Any]]:
    rows = list(
        Commission.objects.filter(payout_id=payout.pk)
        .order_by("pk")
        .values_list(
            "pk",
            # The sale of a share is another affiliate's.
            _unless_share("sale__invoice_ref"),
            _unless_share("sale__order_referral__order_ref"),
            "earned_at",
            "amount",
        )
    )
    taken = taken_back_of([row[0] for row in rows])
    numbers: Mapping[str, str] = {}
    if invoices := {row[1] for row in rows if row[1]}:
        numbers = get_adapter().invoice_numbers(invoices, brand_id=payout.brand_id)
    return [
        {
            "commission": pk,
            "invoice": invoice,
            "number": numbers.get(invoice, invoice),
            "order": order,
            "earned_at": earned_at.isoformat(),
            "earned": amount,
            "amount": amount + taken.get(pk, 0),
        }
        for pk, invoice, order, earned_at, amount in rows
    ]
