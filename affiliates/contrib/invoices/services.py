"""Affiliates send invoices, and staff refuse them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from django.db import transaction

from affiliates.conf import conf
from affiliates.contrib.invoices import rules
from affiliates.contrib.invoices.models import (
    MAX_NUMBER,
    InvoiceFile,
    PayoutInvoice,
)
from affiliates.contrib.invoices.rules import InvoiceEnd
from affiliates.contrib.invoices.selectors import (
    INVOICES,
    current_invoice,
    digest_of,
    needs_invoice,
)
from affiliates.contrib.invoices.types import InvoiceFacts
from affiliates.db.records import lock
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, money
from affiliates.errors import InvalidInput, NotFound, StateConflict, required_text
from affiliates.payouts.models import MAX_REASON, Payout
from affiliates.payouts.rules import INACTIVE, PayoutStatus
from affiliates.payouts.services.steps import lock_payout
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.uploads.files import scan
from affiliates.uploads.pdf import pdf_fault

UNPAID = (PayoutStatus.REJECTED, PayoutStatus.RETURNED)


def upload_invoice(
    *,
    affiliate_id: int,
    payout_id: int,
    facts: InvoiceFacts,
    content: bytes,
    now: datetime,
) -> PayoutInvoice:
    """Stores the invoice in place of an earlier one. The same again changes nothing.

    Raises NotFound for another affiliate's payout, InvalidInput with the wrong field,
    StateConflict for a payout that needs none or is decided, and if the host's hook
    cannot scan the file.
    """
    own = Payout.objects.filter(pk=payout_id, affiliate_id=affiliate_id)
    payout = own.select_related("brand").first()
    if payout is None:
        raise NotFound
    number = _checked(facts, today=now.astimezone(payout.brand.zone()).date())
    if fault := pdf_fault(content, most=conf.max_invoice_bytes):
        raise InvalidInput("invalid_file", fault, field="file")
    # Outside the transaction: it may take seconds.
    scan(content)
    return _store(payout_id, facts, number, content, now=now)


@transaction.atomic
def refuse_invoice(
    *, invoice_id: int, reason: str, actor_id: Any, now: datetime
) -> PayoutInvoice:
    """Asks the affiliate for another one by e-mail. A repeat changes nothing.

    Raises InvalidInput without a reason, StateConflict for one that does not count any
    more or whose payout is decided.
    """
    reason = required_text(reason, field="reason", most=MAX_REASON)
    named = PayoutInvoice.objects.filter(pk=invoice_id).values_list("payout", flat=True)
    payout = lock_payout(named.first() or 0)
    invoice = lock(PayoutInvoice, invoice_id)
    if invoice.end == InvoiceEnd.REFUSED:
        return invoice
    if invoice.end or payout.status != PayoutStatus.REQUESTED:
        raise StateConflict(*rules.DECIDED)
    invoice.change(end=InvoiceEnd.REFUSED, reason=reason, refused_by_id=actor_id)
    _ask(payout, fact=f"{payout.pk}:{invoice.pk}", reason=reason, now=now)
    return invoice


def ask_for_invoice(payout: Payout, *, now: datetime) -> None:
    """Called when a payout was requested, also by staff or a run."""
    if needs_invoice(payout):
        _ask(payout, fact=str(payout.pk), reason="", now=now)


def _ask(payout: Payout, *, fact: str, reason: str, now: datetime) -> None:
    news = News(
        kind=EmailKind.INVOICE_NEEDED,
        brand_id=payout.brand_id,
        affiliate_id=payout.affiliate_id,
        fact=fact,
        values={
            "payout": payout.pk,
            "amount": money(payout.amount, payout.currency),
            "reason": reason,
        },
    )
    notify_affiliates([news], now=now)


def _checked(facts: InvoiceFacts, *, today: date) -> str:
    """The number as it is stored."""
    number = required_text(facts.number, field="number", most=MAX_NUMBER)
    if not number.isprintable():
        raise InvalidInput("invalid", "Leave out control characters.", field="number")
    if facts.issued_on > today:
        raise InvalidInput(
            "invalid", "The date of the invoice is in the future.", field="issued_on"
        )
    if fault := rules.sums_fault(net=facts.net, tax=facts.tax, total=facts.total):
        raise InvalidInput("invalid", fault, field="total")
    return number


@transaction.atomic
def _store(
    payout_id: int, facts: InvoiceFacts, number: str, content: bytes, *, now: datetime
) -> PayoutInvoice:
    payout = lock_payout(payout_id)
    # Two payouts of the affiliate could take one number.
    affiliate = lock(Affiliate, payout.affiliate_id)
    fields = {**asdict(facts), "number": number, "digest": digest_of(content)}
    current = current_invoice(payout)
    if current and all(getattr(current, name) == fields[name] for name in fields):
        return current
    _require_wanted(payout, affiliate)
    taken = PayoutInvoice.objects.filter(
        payout__affiliate=affiliate, number=number, end=""
    )
    if taken.exclude(payout=payout).exclude(payout__status__in=UNPAID).exists():
        raise InvalidInput(
            "number_taken", "You used this number for another payout.", field="number"
        )
    if current:
        current.change(end=InvoiceEnd.REPLACED)
    invoice = PayoutInvoice.objects.create(
        payout=payout, size=len(content), uploaded_at=now, **fields
    )
    InvoiceFile.objects.create(invoice=invoice, content=INVOICES.encrypt(content))
    return invoice


def _require_wanted(payout: Payout, affiliate: Affiliate) -> None:
    """Raises StateConflict."""
    if not AffiliateStatus(affiliate.status).is_paid:
        raise StateConflict(*INACTIVE)
    if payout.status != PayoutStatus.REQUESTED:
        raise StateConflict(*rules.DECIDED)
    if not needs_invoice(payout):
        raise StateConflict(*rules.NOT_NEEDED)
    if payout.invoices.count() >= rules.MAX_INVOICES:
        raise StateConflict(*rules.TOO_MANY)
