"""Why a commission took a step, in sentences made from stored values. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from affiliates.commissions.rules import StepReason
from affiliates.core.money import amount_text, decimal_text, spoken_text
from affiliates.fraud.rules.messages import signals_text


def reason_text(
    reason: str,
    details: Mapping[str, Any],
    *,
    write: Callable[[int, str], str] = amount_text,
) -> str:
    """The sentence for a code and its details, as rows and events store them."""
    return _filled(str(StepReason(reason).label), details, write)


def _filled(
    sentence: str, details: Mapping[str, Any], write: Callable[[int, str], str]
) -> str:
    values = dict(details)
    if "amount" in values:
        values["amount"] = write(values["amount"], values["currency"])
    if "signals" in values:
        values["signals"] = signals_text(values["signals"])
    return sentence.format(**values)


# Staff's sentence mentions others here, or how abuse is detected.
_FOR_AFFILIATES = {
    StepReason.FRAUD_SIGNALS: gettext_noop(
        "A check of the sale asks for a review, or forbids it."
    ),
    StepReason.STAFF: gettext_noop("Decided by staff."),
    StepReason.SHARED: gettext_noop("Earned by an affiliate that you recruited."),
    StepReason.FOLLOWS: gettext_noop(
        "As the commission of the affiliate that you recruited."
    ),
    StepReason.GIVEN_AWAY: gettext_noop("The order was given to another affiliate."),
    StepReason.GIVEN_TO_NOBODY: gettext_noop("The order was given to nobody."),
}
# Only for the affiliate's own sales is the refund named.
_FOR_RECRUITERS = {
    StepReason.REFUND: gettext_noop("A refund took {amount} back."),
    StepReason.CHARGEBACK: gettext_noop("A chargeback took {amount} back."),
    StepReason.REFUND_CANCELLED: gettext_noop(
        "A refund was cancelled, which gave {amount} back."
    ),
    StepReason.CHARGEBACK_CANCELLED: gettext_noop(
        "A chargeback was cancelled, which gave {amount} back."
    ),
}


def reason_for_affiliate(
    reason: str, details: Mapping[str, Any], *, is_share: bool
) -> str:
    """The same sentence for the affiliate: without other people's names or words."""
    step = StepReason(reason)
    if is_share and step in _FOR_RECRUITERS:
        return _filled(_(_FOR_RECRUITERS[step]), details, _spoken)
    redacted = _FOR_AFFILIATES.get(step)
    return _(redacted) if redacted else reason_text(reason, details, write=_spoken)


def _spoken(amount: int, currency: str) -> str:
    return spoken_text(decimal_text(amount, currency), currency)
