"""Facts of affiliates themselves, read for a range of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from affiliates.verification.rules.program import RecruitedFacts
from affiliates.verification.selectors.ranges import within


def recruited_facts(affiliates: QuerySet[Any], ids: range) -> Iterator[RecruitedFacts]:
    rows = within(affiliates.filter(recruiter__isnull=False), ids).values_list(
        "pk",
        "code",
        "brand_id",
        "recruiter_id",
        "recruiter__brand_id",
        "recruiter__recruiter_id",
    )
    yield from map(RecruitedFacts._make, rows)
