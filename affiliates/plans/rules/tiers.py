"""A rule's tiers: as staff type them, as stored, as terms, and the tier reached.

Typed "sales 10 12.5, sales 50 15": 12.5 % from 10 sales on. For revenue the currency
comes first: "EUR 1000 12.5". Every fault raises a ``ValueError`` that says what to
write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from affiliates.plans.rules.amounts import check_amounts, minor_units_of
from affiliates.plans.rules.terms import (
    MAX_SALES,
    SALES,
    RuleTerms,
    TierTerms,
    percent_text,
)

NAMES = ("unit", "from", "percent")
EXAMPLE = "sales 10 12.5, sales 50 15, or EUR 1000 12.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierProgress:
    """A rule's rate at the sales counted so far, and the way to the next tier.

    ``unit`` is ``SALES`` or the currency, ``counted`` and ``missing`` a number or minor
    units. At the highest tier ``next_percent`` is None.
    """

    unit: str
    counted: int
    percent: Decimal
    next_percent: Decimal | None = None
    missing: int = 0


def parse_tiers(text: str) -> list[dict[str, str]]:
    """Converts typed tiers to their stored form."""
    return check_tiers([part.split() for part in text.split(",") if part.strip()])


def check_tiers(tiers: object) -> list[dict[str, str]]:
    """The tiers in their stored form, sorted by unit and then by threshold."""
    if not isinstance(tiers, Sequence) or isinstance(tiers, str):
        raise ValueError(f"Write tiers as {EXAMPLE}.")
    stored = [
        _stored(
            [tier[name] for name in NAMES if name in tier]
            if isinstance(tier, Mapping)
            else tier
        )
        for tier in tiers
    ]
    units = {tier["unit"] for tier in stored}
    if SALES in units and len(units) > 1:
        raise ValueError("Tiers go by sales or by revenue, not by both.")
    terms = dict(zip(tiers_of(stored), stored, strict=True))
    if len({(term.unit, term.at_least) for term in terms}) < len(stored):
        raise ValueError("Two tiers begin at the same number: keep one of the two.")
    return [
        terms[term]
        for term in sorted(terms, key=lambda term: (term.unit, term.at_least))
    ]


def reached_tier(rule: RuleTerms, inputs: Mapping[str, Any]) -> TierTerms | None:
    """The highest tier that the sales before this one reach, if any."""
    if not rule.tiers:
        return None
    unit, seen = inputs["tier"]["unit"], inputs["tier"]["seen"]
    reached = (
        tier for tier in rule.tiers if tier.unit == unit and tier.at_least <= seen
    )
    return max(reached, key=lambda row: row.at_least, default=None)


def progress_of(rule: RuleTerms, *, unit: str, counted: int) -> TierProgress:
    tiers = sorted(
        (tier.at_least, tier.percent) for tier in rule.tiers if tier.unit == unit
    )
    percents = [percent for start, percent in tiers if start <= counted]
    progress = TierProgress(
        unit=unit, counted=counted, percent=(percents or [rule.percent])[-1]
    )
    if len(percents) == len(tiers):
        return progress
    start, percent = tiers[len(percents)]
    return replace(progress, next_percent=percent, missing=start - counted)


def tiers_of(stored: Sequence[Mapping[str, str]]) -> tuple[TierTerms, ...]:
    return tuple(
        TierTerms(
            unit=tier["unit"],
            at_least=int(tier["from"])
            if tier["unit"] == SALES
            else minor_units_of({tier["unit"]: tier["from"]})[tier["unit"]],
            percent=Decimal(tier["percent"]),
        )
        for tier in stored
    )


def tiers_text(stored: Sequence[Mapping[str, str]]) -> str:
    return ", ".join(
        f"{tier['unit']} {tier['from']} {tier['percent']}" for tier in stored
    )


def _stored(words: Sequence[str]) -> dict[str, str]:
    if len(words) != len(NAMES):
        raise ValueError(f"{' '.join(map(str, words))}: write tiers as {EXAMPLE}.")
    unit, start, percent = map(str, words)
    try:
        rate = Decimal(percent)
    except InvalidOperation:
        raise ValueError(f"{percent} is no rate in percent.") from None
    if not rate.is_finite():
        raise ValueError(f"{percent} is no rate in percent.")
    if unit.lower() == SALES:
        if not (start.isascii() and start.isdigit() and 0 < int(start) <= MAX_SALES):
            raise ValueError(f"{start} is no number of sales: write 1 to {MAX_SALES}.")
        unit, start = SALES, str(int(start))
    else:
        [(unit, start)] = check_amounts({unit: start}).items()
    return dict(zip(NAMES, (unit, start, percent_text(rate)), strict=True))
