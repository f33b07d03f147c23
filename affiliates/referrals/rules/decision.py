"""Decides who is credited for an order, and why. Pure; the decision is stored whole."""

from __future__ import annotations

from dataclasses import replace

from affiliates.brands.rules import AttributionPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules import click_attribution as own
from affiliates.referrals.rules import provider_match
from affiliates.referrals.rules.choices import (
    Carrier,
    ExternalVerdict,
    Outcome,
    Reason,
    Verdict,
)
from affiliates.referrals.rules.types import (
    Assignment,
    Candidate,
    Decision,
    Inputs,
    Sender,
    Touch,
    instead_of_won,
)


def decide(inputs: Inputs) -> Decision:
    """Decides who is credited for an order.

    Staff's assignment comes first. Otherwise the own affiliate is found, by a coupon
    code or by the clicks, and weighed against the tracking integration's visit. An
    inactive brand credits neither.
    """
    if inputs.order.assignment is not None:
        return _assign(inputs, inputs.order.assignment)
    decision = provider_match.weigh_match(_apply_to_order(_choose(inputs)))
    if inputs.is_brand_active:
        return decision
    return _nobody(
        provider_match.without_match(decision, ExternalVerdict.BRAND_INACTIVE),
        Reason.BRAND_INACTIVE,
        Verdict.BRAND_INACTIVE_AT_ORDER,
    )


def _choose(inputs: Inputs) -> Decision:
    """The own affiliate to be credited, if the order earns at all."""
    terms = inputs.policy.terms
    judged = own.judge_clicks(inputs)
    clicked = own.pick(judged, terms=terms)
    codes = _code_candidates(inputs)
    winner = next((code for code in codes if code.verdict is Verdict.WON), None)
    if winner is None:
        return _choose_click(inputs, judged, clicked, codes)
    has_click = clicked is not None or provider_match.is_matched(inputs)
    if has_click and not terms.coupon_over_link:
        behind = instead_of_won(codes, Verdict.LINK_WON)
        return _choose_click(inputs, judged, clicked, behind)
    others = [*judged, *(code for code in codes if code is not winner)]
    is_typed = winner.touch.carrier is Carrier.TYPED
    return Decision(
        outcome=Outcome.CREDITED,
        reason=Reason.TYPED if is_typed else Reason.COUPON,
        winner=winner.touch,
        candidates=(*instead_of_won(others, Verdict.COUPON_WON), winner),
        inputs=inputs,
    )


def _choose_click(
    inputs: Inputs,
    judged: list[Candidate],
    winner: Touch | None,
    codes: tuple[Candidate, ...],
) -> Decision:
    if winner is None:
        candidates = (*judged, *codes)
        return Decision(
            outcome=Outcome.NOBODY,
            reason=Reason.NO_ELIGIBLE_TOUCH if candidates else Reason.NO_TOUCH,
            winner=None,
            candidates=candidates,
            inputs=inputs,
        )
    is_first_click = inputs.policy.terms.policy is AttributionPolicy.FIRST_CLICK
    return Decision(
        outcome=Outcome.CREDITED,
        reason=Reason.FIRST_CLICK if is_first_click else Reason.LAST_CLICK,
        winner=winner,
        candidates=(*own.rank(judged, winner), *codes),
        inputs=inputs,
    )


def _apply_to_order(decision: Decision) -> Decision:
    """The same decision, or nobody if the brand or the order earns nothing."""
    if decision.winner is None:
        return decision
    terms = decision.inputs.policy.terms
    if not terms.own_program:
        return _nobody(decision, Reason.PROGRAM_OFF, Verdict.PROGRAM_OFF_AT_ORDER)
    if provider_match.is_existing_client(decision.inputs):
        return _nobody(decision, Reason.EXISTING_CLIENT, Verdict.NOT_ELIGIBLE_ORDER)
    if decision.winner.is_self:
        return replace(decision, outcome=Outcome.HELD, reason=Reason.SELF_REFERRAL)
    return decision


def _assign(inputs: Inputs, assignment: Assignment) -> Decision:
    """Credits the affiliate that staff named, if active, despite clicks and coupons."""
    judged = [*own.judge_clicks(inputs), *_code_candidates(inputs)]
    candidates = instead_of_won(judged, Verdict.STAFF_ASSIGNED)
    named = assignment.sender
    winner = None
    reason = Reason.STAFF
    if named is not None:
        touch = _touch_of(named, Carrier.STAFF, inputs)
        verdict = _verdict_of(named)
        candidates = (*candidates, Candidate(touch=touch, verdict=verdict))
        winner = touch if verdict is Verdict.WON else None
        reason = Reason.STAFF if winner else Reason.NO_ELIGIBLE_TOUCH
    return Decision(
        outcome=Outcome.NOBODY if winner is None else Outcome.CREDITED,
        reason=reason,
        winner=winner,
        candidates=candidates,
        inputs=inputs,
        external=provider_match.match_beside_staff(
            inputs, is_credited=winner is not None
        ),
    )


def _code_candidates(inputs: Inputs) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            touch=_touch_of(code.sender, carrier, inputs),
            verdict=_verdict_of(code.sender),
        )
        for carrier, code in inputs.order.codes
    )


def _verdict_of(sender: Sender) -> Verdict:
    is_active = sender.status is AffiliateStatus.ACTIVE
    return Verdict.WON if is_active else Verdict.NOT_ACTIVE_AT_ORDER


def _touch_of(sender: Sender, carrier: Carrier, inputs: Inputs) -> Touch:
    """A touch without a click, made at the time of the order."""
    return Touch(
        carrier=carrier,
        click_id=None,
        touched_at=inputs.now,
        affiliate_id=sender.affiliate_id,
        affiliate_code=sender.affiliate_code,
        status_at_visit=sender.status,
        status_at_order=sender.status,
        program_on_at_visit=inputs.policy.terms.own_program,
        is_self=sender.is_self,
    )


def _nobody(decision: Decision, reason: Reason, verdict: Verdict) -> Decision:
    """The same decision with nobody credited, because of the order or the brand."""
    return replace(
        provider_match.without_winner(decision, verdict),
        outcome=Outcome.NOBODY,
        reason=reason,
    )
