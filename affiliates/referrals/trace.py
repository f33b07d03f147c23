"""A decision as it is stored (JSON) and as people read it (sentences)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from affiliates.brands.rules import AttributionPolicy
from affiliates.referrals.rules import (
    Candidate,
    Carrier,
    CookieState,
    Decision,
    Outcome,
    Reason,
    Verdict,
)

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLine:
    """One candidate in words."""

    affiliate_code: str
    touched_at: datetime
    carrier: str
    verdict: str
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A decision in words: what came out, why, and what every click was worth."""

    outcome: str
    reason: str
    cookie: str
    policy: str
    candidates: tuple[CandidateLine, ...]


def to_json(decision: Decision) -> dict[str, Any]:
    """Everything needed to read the decision years later, without the click rows."""
    terms = decision.terms
    return {
        "format": FORMAT,
        "outcome": decision.outcome.value,
        "reason": decision.reason.value,
        "cookie": decision.cookie.value,
        "decided_at": decision.decided_at.isoformat(),
        "terms": {
            "policy": terms.policy.value,
            "window_days": terms.window.days,
            "own_program": terms.own_program,
            "existing_clients_earn": terms.existing_clients_earn,
        },
        "candidates": [_candidate_to_json(one) for one in decision.candidates],
    }


def explain(stored: Mapping[str, Any]) -> Explanation:
    """The stored decision in plain words."""
    terms = stored["terms"]
    return Explanation(
        outcome=Outcome(stored["outcome"]).label,
        reason=Reason(stored["reason"]).label,
        cookie=CookieState(stored["cookie"]).label,
        policy=(
            f"{AttributionPolicy(terms['policy']).label}, "
            f"within {terms['window_days']} days"
        ),
        candidates=tuple(_candidate_line(one) for one in stored["candidates"]),
    )


def _candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    touch = candidate.touch
    return {
        "verdict": candidate.verdict.value,
        "carrier": touch.carrier.value,
        "click_id": str(touch.click_id),
        "touched_at": touch.touched_at.isoformat(),
        "affiliate_id": touch.affiliate_id,
        "affiliate_code": touch.affiliate_code,
        "status_at_visit": touch.status_at_visit.value,
        "status_at_order": touch.status_now.value,
        "program_on_at_visit": touch.program_on_at_visit,
        "is_bot": touch.is_bot,
        "is_repeat": touch.is_repeat,
        "is_self": touch.is_self,
    }


def _candidate_line(stored: Mapping[str, Any]) -> CandidateLine:
    verdict = Verdict(stored["verdict"])
    return CandidateLine(
        affiliate_code=stored["affiliate_code"],
        touched_at=datetime.fromisoformat(stored["touched_at"]),
        carrier=Carrier(stored["carrier"]).label,
        verdict=verdict.label,
        is_winner=verdict is Verdict.WON,
    )
