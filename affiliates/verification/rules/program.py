"""Rules for affiliates themselves. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class RecruitedFacts(NamedTuple):
    """An affiliate and who recruited it: each its brand and its recruiter."""

    id: int
    code: str
    brand_id: int
    recruiter_id: int
    recruiter_brand_id: int
    recruiter_recruiter_id: int | None


def judge_recruited(facts: RecruitedFacts) -> Iterator[str]:
    if facts.recruiter_brand_id != facts.brand_id:
        yield f"was recruited by affiliate {facts.recruiter_id}, of another brand."
    if facts.recruiter_recruiter_id == facts.id:
        yield f"was recruited by affiliate {facts.recruiter_id}, which it recruited."
