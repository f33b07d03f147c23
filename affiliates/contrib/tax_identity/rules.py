"""When a payout needs a tax identity, and what is missing. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from affiliates.payouts.rules import Refusal, is_needed

MISSING = Refusal(
    "tax_identity_missing",
    gettext_noop("Say first who is paid: name, address and country."),
)
NUMBER_MISSING = Refusal(
    "tax_number_missing",
    gettext_noop("Give your tax number or VAT ID first, beside your name and address."),
)


class PayeeKind(TextChoices):
    PERSON = "person", _("Person")
    BUSINESS = "business", _("Business")


class UsClassification(TextChoices):
    """The federal tax classification of form W-9."""

    INDIVIDUAL = "individual", _("Individual or sole proprietor")
    C_CORPORATION = "c_corporation", _("C corporation")
    S_CORPORATION = "s_corporation", _("S corporation")
    PARTNERSHIP = "partnership", _("Partnership")
    TRUST = "trust", _("Trust or estate")
    LLC = "llc", _("Limited liability company")
    OTHER = "other", _("Other")


class ViesAnswerKind(TextChoices):
    VALID = "valid", _("Valid")
    INVALID = "invalid", _("Invalid")
    UNAVAILABLE = "unavailable", _("Could not be asked")


def judge_identity(
    details: Mapping[str, str] | None,
    *,
    needed_from: Mapping[str, int],
    countries: Collection[str],
    currency: str,
    amount: int,
) -> Refusal | None:
    """Why this payout must wait for the identity, or None.

    ``needed_from`` is as for ``is_needed``. A number is needed in ``countries``, or
    everywhere if there are none.
    """
    if not is_needed(needed_from, currency=currency, amount=amount):
        return None
    if details is None:
        return MISSING
    has_number = details["tax_number"] or details["vat_id"]
    if not has_number and (not countries or details["country"] in countries):
        return NUMBER_MISSING
    return None
