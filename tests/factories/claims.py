"""What affiliates claim."""

from __future__ import annotations

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import ClaimStatus, Hints
from tests.factories.ledger import NOW
from tests.guard.markers import marker, number_of


class MissingSaleClaimFactory(DjangoModelFactory):
    """An open case of ``affiliate`` about an order they name."""

    class Meta:
        model = MissingSaleClaim

    brand = factory.SelfAttribute("affiliate.brand")
    # Numbered: an affiliate claims an order once.
    order_hint = factory.LazyAttributeSequence(
        lambda row, number: (
            f"{number}-{marker('affiliate', 'order', number_of(row.affiliate.user))}"
        )
    )
    key = factory.LazyAttribute(
        lambda row: (
            Hints(
                order=row.order_hint,
                client_email=row.client_hint,
                ordered_on=row.ordered_on,
            ).key
        )
    )
    client_hint = factory.LazyAttribute(
        lambda row: (
            f"{marker('affiliate', 'client', number_of(row.affiliate.user))}@example.com"
        )
    )
    note = factory.LazyAttribute(
        lambda row: marker("affiliate", "note", number_of(row.affiliate.user))
    )
    ordered_on = None
    status = ClaimStatus.OPEN
    answer = factory.LazyAttribute(
        lambda row: (
            ""
            if row.status == ClaimStatus.OPEN
            else marker("affiliate", "answer", number_of(row.affiliate.user))
        )
    )
    created_at = NOW
