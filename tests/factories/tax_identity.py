"""Who is paid, and a brand's terms about it, as services leave them behind."""

from __future__ import annotations

from datetime import date
from typing import Any

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.tax_identity import details
from affiliates.contrib.tax_identity.models import (
    IdentityTerms,
    TaxIdentity,
    ViesAnswer,
)
from affiliates.contrib.tax_identity.rules import ViesAnswerKind
from tests.factories.ledger import NOW
from tests.guard.markers import marker, number_of


def given_by(affiliate: Any, **changes: str) -> dict[str, str]:
    """A German business with a valid VAT ID."""
    return {
        "name": f"Ada {marker('affiliate', 'identity', number_of(affiliate.user))}",
        "address": "Hauptstr. 1\n10115 Berlin",
        "country": "DE",
        "kind": "business",
        "tax_number": "",
        "vat_id": "DE136695976",
        "us_classification": "",
        **changes,
    }


class IdentityTermsFactory(DjangoModelFactory):
    """Every payout in EUR needs an identity with a number. ``brand`` must be given."""

    class Meta:
        model = IdentityTerms

    needed_from = factory.LazyFunction(lambda: {"EUR": 0})


class TaxIdentityFactory(DjangoModelFactory):
    """``affiliate`` must be given; ``changes`` are those of ``given_by``."""

    class Meta:
        model = TaxIdentity

    class Params:
        changes = factory.LazyFunction(dict)
        checked = factory.LazyAttribute(
            lambda row: details.check_details(given_by(row.affiliate, **row.changes))
        )

    valid_from = date(2026, 1, 1)
    details = factory.LazyAttribute(lambda row: details.IDENTITIES.seal(row.checked))
    hint = factory.LazyAttribute(lambda row: details.hint_of(row.checked))
    is_for_vies = factory.LazyAttribute(lambda row: details.is_for_vies(row.checked))
    created_at = NOW


class ViesAnswerFactory(DjangoModelFactory):
    """``identity`` must be given."""

    class Meta:
        model = ViesAnswer

    kind = ViesAnswerKind.VALID
    reference = "WAPIAAAAYkmz"
    asked_at = NOW
