"""An affiliate's tax identity on a day, and whether a payout needs it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from affiliates.contrib.tax_identity import details
from affiliates.contrib.tax_identity.models import IdentityTerms, TaxIdentity
from affiliates.contrib.tax_identity.rules import judge_identity
from affiliates.errors import StateConflict
from affiliates.payouts.rules import Refusal
from affiliates.program.models import Affiliate

# Statements are written in English.
DOCUMENT_LANGUAGE = "en"
ID_LABELS = {"vat_id": "VAT", "tax_number": "Tax number"}


def identity_terms(brand_id: int) -> IdentityTerms:
    saved = IdentityTerms.objects.filter(brand_id=brand_id).first()
    return saved or IdentityTerms(brand_id=brand_id)


def today_of(affiliate: Affiliate, *, now: datetime) -> date:
    """The day in the brand's time zone, which its statements have."""
    return now.astimezone(affiliate.brand.zone()).date()


def identity_on(affiliate_id: int, day: date) -> TaxIdentity | None:
    """The latest valid one; None also after it was erased."""
    valid = TaxIdentity.objects.filter(affiliate_id=affiliate_id, valid_from__lte=day)
    return valid.exclude(details="").order_by("-valid_from", "-id").first()


def readable_details(identity: TaxIdentity | None) -> details.Details | None:
    """None without an identity, and if its key is missing: it must be given again."""
    if identity is None:
        return None
    try:
        return details.IDENTITIES.open(identity.details)
    except StateConflict:
        return None


def missing_identity(
    affiliate: Affiliate, *, currency: str, amount: int, now: datetime
) -> Refusal | None:
    """A requirement of payouts."""
    terms = identity_terms(affiliate.brand_id)
    if not terms.needed_from:
        return None
    identity = identity_on(affiliate.pk, today_of(affiliate, now=now))
    return judge_identity(
        readable_details(identity),
        needed_from=terms.needed_from,
        countries=terms.countries,
        currency=currency,
        amount=amount,
    )


def payee_on_statement(affiliate: Affiliate, *, now: datetime) -> dict[str, Any] | None:
    """The payee that a statement names.

    A missing key must not fail the payout, whose money may have left already.
    """
    identity = identity_on(affiliate.pk, today_of(affiliate, now=now))
    payee = readable_details(identity)
    if payee is None:
        return None
    country = details.country_names(DOCUMENT_LANGUAGE)[payee["country"]]
    ids = [
        f"{label} {payee[field]}" for field, label in ID_LABELS.items() if payee[field]
    ]
    return {
        "name": payee["name"],
        "lines": [*payee["address"].splitlines(), country],
        "ids": ids,
        "country": payee["country"],
    }
