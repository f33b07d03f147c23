"""When a payout waits for the affiliate's invoice, and what an invoice must say. Pure."""

from __future__ import annotations

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from affiliates.payouts.rules import PayoutStatus, Refusal

# Each of a payout's invoices may have as many bytes as the setting allows.
MAX_INVOICES = 20

# For staff.
MISSING = Refusal("invoice_missing", "It waits for the affiliate's invoice.")
DIFFERS = Refusal(
    "invoice_differs",
    "The total of the affiliate's invoice is not the payout's amount.",
)
NOT_NEEDED = Refusal(
    "invoice_not_needed", gettext_noop("This payout needs no invoice of yours.")
)
DECIDED = Refusal(
    "payout_decided",
    gettext_noop("The payout is decided: its invoice stays as it is."),
)
TOO_MANY = Refusal(
    "too_many_invoices",
    gettext_noop("You have sent many invoices for this payout. Write to us."),
)


class InvoiceEnd(TextChoices):
    """Why an invoice does not count any more."""

    REPLACED = "replaced", _("Replaced")
    REFUSED = "refused", _("Refused")


class InvoiceState(TextChoices):
    WAITS = "waits", _("Waits for the approval")
    DIFFERS = "differs", _("Another total than the payout")
    ACCEPTED = "accepted", _("Accepted")
    UNUSED = "unused", _("Not paid")
    REPLACED = "replaced", _("Replaced")
    REFUSED = "refused", _("Refused")


def judge_total(total: int | None, *, amount: int) -> Refusal | None:
    """Why a payout that needs an invoice cannot be approved. None: there is none."""
    if total is None:
        return MISSING
    return None if total == amount else DIFFERS


def sums_fault(*, net: int, tax: int, total: int) -> str:
    """In minor units; "" if they are sums of an invoice."""
    if net <= 0 or tax < 0:
        return gettext_noop("The net amount is above zero, and the tax not below.")
    if net + tax != total:
        return gettext_noop("Net amount and tax do not add up to the total.")
    return ""


def state_of(end: str, *, status: str, is_equal: bool) -> InvoiceState:
    """``status`` is the payout's; ``is_equal``: the total is its amount."""
    if end:
        return InvoiceState(end)
    if status == PayoutStatus.REQUESTED:
        return InvoiceState.WAITS if is_equal else InvoiceState.DIFFERS
    if status in (PayoutStatus.REJECTED, PayoutStatus.RETURNED):
        return InvoiceState.UNUSED
    return InvoiceState.ACCEPTED
