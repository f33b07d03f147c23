"""The rows that a step locks, always in the same order."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import with_taken_back
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale


def lock_affiliates(
    affiliate_ids: Collection[int] | QuerySet[Any, Any], *, skip_locked: bool = False
) -> list[int]:
    """Locks the affiliates' rows until the transaction ends; returns the locked ids."""
    return list(
        Affiliate.objects.filter(pk__in=affiliate_ids)
        .order_by("pk")
        .select_for_update(no_key=True, skip_locked=skip_locked)
        .values_list("pk", flat=True)
    )


def lock_earners(affiliate_ids: Collection[int], of: Q) -> None:
    """Locks the affiliates, their current recruiters and these commissions' earners.

    All at once: each later step locks some of them, and all must lock in one order.
    """
    recruited = Affiliate.objects.filter(pk__in=affiliate_ids, recruiter__isnull=False)
    sharers = recruited.values_list(
        Coalesce("recruiter__merged_into_id", "recruiter_id"), flat=True
    )
    earned = Commission.objects.filter(of).order_by()
    owners = earned.values_list("affiliate_id", flat=True).distinct()
    lock_affiliates({*affiliate_ids, *sharers, *owners})


def lock_commissions(
    commission_ids: Collection[int], *, skip_locked: bool = False
) -> list[Commission]:
    """Locks the commissions and their shares, and before them their affiliates.

    Each comes with its share as ``locked_share``. With ``skip_locked``, a commission is
    left out if another transaction holds it or its share.
    """
    ids = set(commission_ids)
    with_shares = Commission.objects.filter(Q(pk__in=ids) | Q(share_of__in=ids))
    owners = with_shares.order_by().values_list("pk", "affiliate_id", "share_of_id")
    rows = _lock_rows(with_shares, owners, skip_locked=skip_locked)
    left_out = {of for pk, _, of in owners if pk not in rows}
    for row in rows.values():
        if row.share_of_id in rows:
            # Share and commission see each other's changes.
            row.share_of = rows[row.share_of_id]
            row.share_of.locked_share = row
    return [row for pk, row in rows.items() if pk in ids and pk not in left_out]


def lock_live(sale: Sale) -> list[tuple[Commission, int]]:
    """Locks the sale's commission and its share, unless rejected, and their affiliates.

    Each with what refunds have taken of it: zero or below. The caller has locked the
    order, so both are final.
    """
    live = Commission.objects.filter(sale=sale).exclude(
        status=CommissionStatus.REJECTED
    )
    locked = lock_affiliates(live.order_by().values("affiliate_id"))
    rows = with_taken_back(_locked(live, locked))
    return [(row, row.taken_back) for row in rows]


def lock_own_commissions(commission_ids: Collection[int]) -> list[Commission]:
    """Locks commissions and affiliates, for steps that shares do not follow."""
    named = Commission.objects.filter(pk__in=commission_ids)
    owners = named.order_by().values_list("pk", "affiliate_id", "share_of_id")
    return list(_lock_rows(named, owners).values())


def _lock_rows(
    commissions: Any, owners: Any, *, skip_locked: bool = False
) -> dict[int, Commission]:
    locked = lock_affiliates({owner for _, owner, _ in owners}, skip_locked=skip_locked)
    commissions_found = _locked(commissions, locked, skip_locked=skip_locked)
    return {row.pk: row for row in commissions_found}


def _locked(
    commissions: Any, affiliate_ids: Collection[int], *, skip_locked: bool = False
) -> Any:
    return (
        commissions.filter(affiliate_id__in=affiliate_ids)
        .select_related("sale__order_referral", "affiliate", "plan_version", "share_of")
        .order_by("pk")
        .select_for_update(of=("self",), no_key=True, skip_locked=skip_locked)
    )
