"""A brand's payout terms, saved by staff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.providers.registry import offered_at_first
from affiliates.payouts.selectors import needs_second_person


@transaction.atomic
def save_terms(terms: PayoutTerms, *, actor_id: Any) -> bool:
    """Saves staff's changes. False: a second person must still agree.

    Turning off the second person also takes two people, since one person alone could
    turn it off, pay, and turn it on again: one asks by turning it off, another agrees
    by doing the same. Saving the terms with it on withdraws the request.
    """
    before = (
        PayoutTerms.objects.select_for_update(no_key=True).filter(pk=terms.pk).first()
    )
    terms.single_person_asked_by_id = None
    is_for_two = needs_second_person(terms.brand_id)
    if not is_for_two or terms.needs_second_person:
        terms.save()
        return True
    asked_by = before and before.single_person_asked_by_id
    is_agreed = asked_by not in (None, actor_id)
    if not is_agreed:
        terms.needs_second_person = True
        terms.runs_approve_themselves = False
        terms.single_person_asked_by_id = actor_id
    terms.save()
    return is_agreed


def start_payout_terms(
    *, brand: Brand, minimums: Mapping[str, int], kinds: Sequence[str] | None
) -> PayoutTerms:
    """Makes a new brand's terms: minimums in minor units by currency, kinds by code.

    Kinds None: those that a new brand offers. Raises Django's ValidationError.
    """
    terms = PayoutTerms(
        brand=brand,
        minimums=dict(minimums),
        kinds=[*kinds] if kinds else offered_at_first(),
        needs_second_person=needs_second_person(brand.pk),
    )
    terms.full_clean()
    terms.save()
    return terms
