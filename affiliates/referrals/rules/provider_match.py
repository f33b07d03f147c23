"""Weighs own affiliates against the tracking integration. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from affiliates.brands.rules import AttributionTerms, ClaimPolicy
from affiliates.referrals.rules.choices import (
    ExternalVerdict,
    Outcome,
    Reason,
    Verdict,
)
from affiliates.referrals.rules.types import (
    Decision,
    ExternalCandidate,
    ExternalTouch,
    Inputs,
    Touch,
    instead_of_won,
)

# Verdicts on an own affiliate's visit that lost, if at all, to another own visit.
_OWN_VISITS = frozenset(
    {
        Verdict.WON,
        Verdict.LATER_CLICK_WON,
        Verdict.EARLIER_CLICK_WON,
        Verdict.REPEAT,
        Verdict.BOUND_CLIENT,
        Verdict.LATE_TOUCH_STOOD_DOWN,
    }
)


def judge_external(
    touches: Sequence[ExternalTouch], *, terms: AttributionTerms, now: datetime
) -> ExternalCandidate | None:
    """The latest visit by the integration's links that counts.

    If none counts, the latest of them with the rule that excludes it.
    """
    judged = [
        ExternalCandidate(touch=touch, verdict=_exclusion(touch, terms=terms, now=now))
        for touch in sorted(touches, key=lambda touch: touch.touched_at)
    ]
    counting = [
        judgement for judgement in judged if judgement.verdict is ExternalVerdict.WON
    ]
    return next(reversed(counting or judged), None)


def weigh_match(decision: Decision) -> Decision:
    """Weighs the own program's decision against the tracking integration's visit.

    An own winner whose sale is held for review counts like any other: the hold never
    gives the sale to the integration.
    """
    external = _match(decision.inputs)
    if external is None or external.verdict is not ExternalVerdict.WON:
        return replace(decision, external=external)
    if is_existing_client(decision.inputs):
        return replace(
            decision,
            reason=Reason.EXISTING_CLIENT,
            external=replace(external, verdict=ExternalVerdict.NOT_ELIGIBLE_ORDER),
        )
    if decision.winner is None:
        return _third_party(decision, external, Reason.THIRD_PARTY_ONLY)
    return _weigh(decision, decision.winner, external)


def match_beside_staff(
    inputs: Inputs, *, is_credited: bool
) -> ExternalCandidate | None:
    """The integration's visit on an order that staff assigned.

    It is credited only together with an affiliate, if the brand credits both.
    """
    external = _match(inputs)
    if external is None or external.verdict is not ExternalVerdict.WON:
        return external
    if is_existing_client(inputs):
        verdict = ExternalVerdict.NOT_ELIGIBLE_ORDER
    elif is_credited and inputs.policy.terms.claim_policy is ClaimPolicy.BOTH:
        verdict = ExternalVerdict.WON_TOO
    else:
        verdict = ExternalVerdict.STAFF_ASSIGNED
    return replace(external, verdict=verdict)


def is_matched(inputs: Inputs) -> bool:
    """Whether a visit by the integration's links counts."""
    external = _match(inputs)
    return external is not None and external.verdict is ExternalVerdict.WON


def is_existing_client(inputs: Inputs) -> bool:
    """Whether the client paid before, at a brand where later orders earn nothing."""
    earns = inputs.policy.terms.existing_clients_earn
    return inputs.order.client_paid_before and not earns


def without_winner(decision: Decision, verdict: Verdict) -> Decision:
    """The same decision with ``verdict`` on the candidate that had won."""
    candidates = instead_of_won(decision.candidates, verdict)
    return replace(decision, winner=None, candidates=candidates)


def without_match(decision: Decision, verdict: ExternalVerdict) -> Decision:
    """The same decision with ``verdict`` on an integration's visit that was credited."""
    external = decision.external
    if external is None or not external.verdict.is_credited:
        return decision
    return replace(decision, external=replace(external, verdict=verdict))


def _match(inputs: Inputs) -> ExternalCandidate | None:
    terms = inputs.policy.terms
    return judge_external(inputs.external, terms=terms, now=inputs.now)


def _exclusion(
    touch: ExternalTouch, *, terms: AttributionTerms, now: datetime
) -> ExternalVerdict:
    if touch.is_bot:
        return ExternalVerdict.BOT
    if touch.touched_at > now:
        return ExternalVerdict.AFTER_ORDER
    if now - touch.touched_at > terms.window:
        return ExternalVerdict.OUTSIDE_WINDOW
    if not touch.visitor_id:
        return ExternalVerdict.NO_IDENTIFIER
    return ExternalVerdict.WON


def _weigh(decision: Decision, winner: Touch, external: ExternalCandidate) -> Decision:
    """Applies the brand's policy; both count."""
    touch = external.touch
    match decision.inputs.policy.terms.claim_policy:
        case ClaimPolicy.BOTH:
            verdict = ExternalVerdict.WON_TOO
        case _ if winner.carrier.is_code:
            verdict = ExternalVerdict.COUPON_WON
        case ClaimPolicy.OWN:
            verdict = ExternalVerdict.OWN_PREFERRED
        case ClaimPolicy.THIRD_PARTY:
            return _third_party(decision, external, Reason.THIRD_PARTY_POLICY)
        case ClaimPolicy.LATEST if _is_own_visit(decision, touch):
            verdict = ExternalVerdict.OWN_SAME_TIME
        case ClaimPolicy.LATEST if touch.touched_at > winner.touched_at:
            return _third_party(decision, external, Reason.THIRD_PARTY_LATER)
        case ClaimPolicy.LATEST if touch.touched_at == winner.touched_at:
            verdict = ExternalVerdict.OWN_SAME_TIME
        case ClaimPolicy.LATEST:
            verdict = ExternalVerdict.OWN_LATER
    return replace(decision, external=replace(external, verdict=verdict))


def _is_own_visit(decision: Decision, touch: ExternalTouch) -> bool:
    """Whether an own affiliate sent the client by this same visit.

    Also by a visit that is not credited itself, such as the reload of a credited one.
    """
    return touch.click_id is not None and any(
        candidate.touch.click_id == touch.click_id and candidate.verdict in _OWN_VISITS
        for candidate in decision.candidates
    )


def _third_party(
    decision: Decision, external: ExternalCandidate, reason: Reason
) -> Decision:
    return replace(
        without_winner(decision, Verdict.THIRD_PARTY_WON),
        outcome=Outcome.THIRD_PARTY,
        reason=reason,
        external=external,
    )
