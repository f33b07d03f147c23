"""Which payouts wait for an invoice, and the files of invoices."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from django.db.models import Q, QuerySet

from affiliates.contrib.invoices import rules
from affiliates.contrib.invoices.models import InvoiceFile, InvoiceTerms, PayoutInvoice
from affiliates.encrypted.columns import Purpose, SecretUnreadable
from affiliates.errors import StateConflict
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import Refusal, is_needed

INVOICES = Purpose(b"affiliates.invoices.v1")


def current_invoice(payout: Payout) -> PayoutInvoice | None:
    return PayoutInvoice.objects.filter(payout=payout, end="").first()


def needs_invoice(payout: Payout) -> bool:
    return payout.pk in waiting_for([payout], {})


def unmet_by_invoices(payouts: Sequence[Payout]) -> dict[int, Refusal]:
    """A requirement of approvals."""
    counting = PayoutInvoice.objects.filter(payout__in=payouts, end="")
    return waiting_for(payouts, dict(counting.values_list("payout_id", "total")))


def waiting_for(
    payouts: Sequence[Payout], totals: Mapping[int, int]
) -> dict[int, Refusal]:
    """``totals`` are those of invoices, by payout."""
    terms = dict(
        InvoiceTerms.objects.filter(
            brand_id__in={payout.brand_id for payout in payouts}
        ).values_list("brand_id", "needed_from")
    )
    refusals = {
        payout.pk: rules.judge_total(totals.get(payout.pk), amount=payout.amount)
        for payout in payouts
        if is_needed(
            terms.get(payout.brand_id, {}),
            currency=payout.currency,
            amount=payout.amount,
        )
    }
    return {pk: refusal for pk, refusal in refusals.items() if refusal is not None}


def payouts_that_need_one() -> Q:
    """The condition of payouts, by the terms of today."""
    needing = Q(pk__in=())
    for brand_id, least in InvoiceTerms.objects.values_list("brand_id", "needed_from"):
        for currency, amount in least.items():
            needing |= Q(brand_id=brand_id, currency=currency, amount__gte=amount)
    return needing


def note_on_statement(payout: Payout) -> str:
    """The tax note of a payout with an invoice: its statement must be no second one.

    "" without one. Statements are written in English.
    """
    invoice = current_invoice(payout)
    if invoice is None or invoice.total != payout.amount:
        return ""
    return (
        f"Pays your invoice {invoice.number} of {invoice.issued_on}. "
        "This paper is no invoice."
    )


def invoices_of(payout: Payout) -> QuerySet[PayoutInvoice]:
    return PayoutInvoice.objects.filter(payout=payout).select_related("payout")


def file_of(invoice: PayoutInvoice) -> bytes:
    """Raises StateConflict if its key is missing or it is not what was uploaded."""
    stored = InvoiceFile.objects.filter(invoice=invoice).first()
    try:
        content = INVOICES.decrypt(stored.content) if stored else b""
    except SecretUnreadable:
        content = b""
    if digest_of(content) != invoice.digest:
        raise StateConflict(
            "file_changed",
            "The file is missing, cannot be decrypted, or is not what was uploaded.",
        )
    return content


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
