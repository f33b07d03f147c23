"""A stored decision as people read it: sentences made from its facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from affiliates.brands.rules import (
    AttributionPolicy,
    AttributionTerms,
    BindingPolicy,
    ClaimPolicy,
)
from affiliates.core.days import clock, span
from affiliates.referrals.rules.choices import (
    Carrier,
    CookieState,
    ExternalVerdict,
    Outcome,
    Reason,
    Rule,
    Verdict,
)
from affiliates.referrals.rules.stored import age_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLine:
    """One candidate in words. ``evidence`` gives the rule's facts, or is empty."""

    affiliate_code: str
    touched_at: datetime
    carrier: str
    verdict: str
    rule: str
    evidence: str
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalLine:
    """The tracking integration's visit in words. ``affiliate`` may be empty."""

    affiliate: str
    touched_at: datetime
    carrier: str
    verdict: str
    is_credited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A decision in words: the outcome, the reason, and the verdict on every click.

    ``preference`` says who is credited when ``external`` and a candidate both count.
    ``assignment`` is staff's reason for an assignment.
    """

    outcome: str
    reason: str
    cookie: str
    policy: str
    candidates: tuple[CandidateLine, ...]
    preference: str
    external: ExternalLine | None
    assignment: str


def explain(stored: Mapping[str, Any]) -> Explanation:
    """The stored decision in plain words."""
    external, assignment = stored["external"], stored["order"]["assignment"]
    return Explanation(
        outcome=Outcome(stored["outcome"]).label,
        reason=Reason(stored["reason"]).label,
        cookie=CookieState(stored["cookie"]).label,
        policy=_policy(stored),
        candidates=tuple(
            _candidate_line(candidate, stored) for candidate in stored["candidates"]
        ),
        preference=ClaimPolicy(stored["terms"]["claim_policy"]).label,
        external=None if external is None else _external_line(external),
        assignment="" if assignment is None else assignment["reason"],
    )


def _policy(stored: Mapping[str, Any]) -> str:
    terms = stored["terms"]
    parts = [
        AttributionPolicy(terms["policy"]).label,
        f"within {terms['window_days']} days",
    ]
    if version := stored["policy_version"]:
        parts.append(f"version {version}")
    return ", ".join(parts)


def _candidate_line(
    candidate: Mapping[str, Any], stored: Mapping[str, Any]
) -> CandidateLine:
    verdict = Verdict(candidate["verdict"])
    return CandidateLine(
        affiliate_code=candidate["affiliate_code"],
        touched_at=datetime.fromisoformat(candidate["touched_at"]),
        carrier=Carrier(candidate["carrier"]).label,
        verdict=verdict.label,
        rule=Rule(candidate["rule"]).label,
        evidence=_evidence(verdict, candidate, stored),
        is_winner=verdict is Verdict.WON,
    )


def _evidence(
    verdict: Verdict, candidate: Mapping[str, Any], stored: Mapping[str, Any]
) -> str:
    """The facts behind the verdict that are shown nowhere else on the page."""
    terms = AttributionTerms.from_json(stored["terms"])
    age = age_of(candidate, stored)
    match verdict:
        case Verdict.OUTSIDE_WINDOW:
            return f"{span(age - terms.window)} outside the window"
        case Verdict.AFTER_ORDER:
            return f"{span(-age)} after the order"
        case Verdict.NOT_ACTIVE_AT_VISIT:
            return f"Was {candidate['status_at_visit']}"
        case Verdict.NOT_ACTIVE_AT_ORDER:
            return f"Was {candidate['status_at_order']}"
        case Verdict.BOUND_CLIENT:
            bound_at = datetime.fromisoformat(stored["binding"]["bound_at"])
            kept = BindingPolicy.KEEP.label.lower()
            return f"Registered {clock(bound_at)}; registered clients {kept}"
        case Verdict.LATE_TOUCH_STOOD_DOWN:
            return _checkout(stored, age)
    code = stored["order"].get(candidate["carrier"])
    return f"Code {code['code']}" if code else ""


def _checkout(stored: Mapping[str, Any], age: timedelta) -> str:
    before = f"{span(age)} before the order"
    basket_at = stored["order"]["basket_at"]
    if basket_at is None:
        return before
    return f"{before}; the basket began {clock(datetime.fromisoformat(basket_at))}"


def _external_line(stored: Mapping[str, Any]) -> ExternalLine:
    verdict = ExternalVerdict(stored["verdict"])
    return ExternalLine(
        affiliate=stored["affiliate"],
        touched_at=datetime.fromisoformat(stored["touched_at"]),
        carrier=Carrier(stored["carrier"]).label,
        verdict=verdict.label,
        is_credited=verdict.is_credited,
    )
