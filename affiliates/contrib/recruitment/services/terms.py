"""The writer of the versions of a program's terms."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.contrib.recruitment.models import ProgramTermsVersion
from affiliates.contrib.recruitment.selectors import policy_of


@transaction.atomic
def publish_terms(brand_id: int, *, now: datetime) -> ProgramTermsVersion | None:
    """Make what the terms say now a version, unless the latest says the same.

    To be called in the transaction that saved the brand's policy. None where there never
    were any terms.
    """
    Brand.objects.select_for_update(no_key=True).get(pk=brand_id)
    versions = ProgramTermsVersion.objects.filter(brand_id=brand_id)
    latest = versions.order_by("-number").first()
    text = policy_of(brand_id).terms.strip()
    if text == ("" if latest is None else latest.text):
        return latest
    return ProgramTermsVersion.objects.create(
        brand_id=brand_id,
        number=1 if latest is None else latest.number + 1,
        text=text,
        effective_from=now,
    )
