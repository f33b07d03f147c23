"""Why a commission took a step, in sentences made from stored values. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from affiliates.commissions.rules import StepReason
from affiliates.core.days import BillingCycle
from affiliates.core.money import amount_text, decimal_text, spoken_text
from affiliates.fraud.rules.messages import signals_text

# In the details of a step of staff's: the reason in words for the affiliate.
FOR_AFFILIATE = "for_affiliate"


def reason_text(
    reason: str,
    details: Mapping[str, Any],
    *,
    write: Callable[[int, str], str] = amount_text,
) -> str:
    """The sentence for a code and its details, as rows and events store them."""
    sentence = _filled(str(StepReason(reason).label), details, write)
    said = details.get(FOR_AFFILIATE)
    return f"{sentence} (To the affiliate: {said})" if said else sentence


def _filled(
    sentence: str, details: Mapping[str, Any], write: Callable[[int, str], str]
) -> str:
    values = dict(details)
    if "amount" in values:
        values["amount"] = write(values["amount"], values["currency"])
    if "signals" in values:
        values["signals"] = signals_text(values["signals"])
    if "cycles" in values:
        labels = (str(BillingCycle(cycle).label).lower() for cycle in values["cycles"])
        values["cycles"] = ", ".join(labels)
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
    # The host's reference of a refund says nothing to them.
    StepReason.REFUND: gettext_noop("A refund took {amount} back."),
    StepReason.CHARGEBACK: gettext_noop("A chargeback took {amount} back."),
    StepReason.REFUND_CANCELLED: gettext_noop(
        "A refund was cancelled, which gave {amount} back."
    ),
    StepReason.CHARGEBACK_CANCELLED: gettext_noop(
        "A chargeback was cancelled, which gave {amount} back."
    ),
}


def reason_for_affiliate(reason: str, details: Mapping[str, Any]) -> str:
    """The same sentence for the affiliate: without other people's names or words."""
    if FOR_AFFILIATE in details:
        return str(details[FOR_AFFILIATE])
    redacted = _FOR_AFFILIATES.get(StepReason(reason))
    if redacted is None:
        return reason_text(reason, details, write=_spoken)
    return _filled(_(redacted), details, _spoken)


def _spoken(amount: int, currency: str) -> str:
    return spoken_text(decimal_text(amount, currency), currency)
