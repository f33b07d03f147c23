"""What is done to affiliates, whoever asks for it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from affiliates.brands.services import touch_configuration
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus


@transaction.atomic
def change_status(affiliates: QuerySet[Affiliate], *, status: AffiliateStatus) -> int:
    """Give the affiliates this status; return how many had another one."""
    changed = affiliates.exclude(status=status.value).update(status=status.value)
    if changed:
        # An update sends no signals.
        touch_configuration()
    return changed
