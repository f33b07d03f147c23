"""What is done to affiliates, whoever asks for it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus


@transaction.atomic
def enrol(user: Any, *, brand: Brand, code: str) -> Affiliate:
    """Make the client an active affiliate of its brand.

    Raises Django's ValidationError for what the admin would refuse too.
    """
    affiliate = Affiliate(
        brand=brand, user=user, code=code, status=AffiliateStatus.ACTIVE
    )
    affiliate.full_clean()
    affiliate.save()
    return affiliate


@transaction.atomic
def change_status(affiliates: QuerySet[Affiliate], *, status: AffiliateStatus) -> int:
    """Give the affiliates this status; return how many had another one."""
    others = affiliates.exclude(status=status)
    codes = dict(others.values_list("pk", "code"))
    changed = Affiliate.objects.filter(pk__in=codes).update(status=status)
    record_changes(
        [
            ConfigChange(kind=ChangeKind.AFFILIATE, subject_id=id, token=code)
            for id, code in codes.items()
        ]
    )
    return changed
