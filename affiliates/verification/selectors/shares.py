"""The facts of recruiters' shares, a range of commissions at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import Min, QuerySet

from affiliates.commissions.models import CommissionEvent, CommissionLine
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import taken_back_of
from affiliates.verification.rules.shares import Half, ShareFacts
from affiliates.verification.selectors.ranges import json_text, within

_ORIGIN = ("brand_id", "sale_id", "currency", "plan_version_id", "earned_at")
_OWN = ("pk", "affiliate_id", "amount", "status")


def share_facts(commissions: QuerySet[Any], ids: range) -> Iterator[ShareFacts]:
    columns = (*_OWN, *_ORIGIN)
    rows = list(
        within(commissions.filter(share_of__isnull=False), ids).values_list(
            *columns,
            *(f"share_of__{one}" for one in columns),
            "share_of__share_of_id",
            "plan_version__number",
            "plan_version__terms",
        )
    )
    width = len(columns)
    halves = {row[0] for row in rows} | {row[width] for row in rows}
    taken = taken_back_of(halves)
    approved = _first_approvals(halves)
    receipts = defaultdict(list)
    lines = CommissionLine.objects.filter(commission_id__in=[row[0] for row in rows])
    for pk, receipt in lines.order_by("commission_id", "position").values_list(
        "commission_id", json_text("receipt")
    ):
        receipts[pk].append(receipt)
    for row in rows:
        share, of = (
            Half._make(
                (
                    *half[: len(_OWN)],
                    -taken.get(half[0], 0),
                    approved.get(half[0]),
                    half[len(_OWN) :],
                )
            )
            for half in (row[:width], row[width : 2 * width])
        )
        is_of_share, version, terms = row[2 * width :]
        yield ShareFacts(
            id=share.id,
            share=share,
            of=of,
            is_of_share=is_of_share is not None,
            currency=share.origin[2],
            version=version,
            terms=terms or {},
            receipts=receipts[share.id],
        )


def _first_approvals(commission_ids: Collection[int]) -> dict[int, int]:
    steps = CommissionEvent.objects.filter(
        commission_id__in=commission_ids, after=CommissionStatus.APPROVED
    )
    rows = steps.order_by().values_list("commission_id").annotate(first=Min("pk"))
    return dict(rows)
