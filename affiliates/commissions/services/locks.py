"""Which rows a step locks, in the one order that all keep to."""

from __future__ import annotations

from collections.abc import Collection

from affiliates.commissions.models import Commission
from affiliates.program.models import Affiliate


def lock_affiliates(
    affiliate_ids: Collection[int], *, skip_locked: bool = False
) -> list[int]:
    """Lock the affiliates' rows until the transaction ends; return whose were locked."""
    return list(
        Affiliate.objects.filter(pk__in=affiliate_ids)
        .order_by("pk")
        .select_for_update(no_key=True, skip_locked=skip_locked)
        .values_list("pk", flat=True)
    )


def lock_commissions(
    commission_ids: Collection[int], *, skip_locked: bool = False
) -> list[Commission]:
    """Lock the commissions, and before them their affiliates.

    With ``skip_locked``, those that somebody else holds are left out.
    """
    named = Commission.objects.filter(pk__in=commission_ids)
    owners = set(named.order_by().values_list("affiliate_id", flat=True))
    locked = lock_affiliates(owners, skip_locked=skip_locked)
    return list(
        named.filter(affiliate_id__in=locked)
        .select_related("sale__order_referral", "affiliate", "plan_version")
        .order_by("pk")
        .select_for_update(of=("self",), no_key=True, skip_locked=skip_locked)
    )
