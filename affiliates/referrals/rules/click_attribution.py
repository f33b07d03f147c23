"""Judges every click of own affiliates and picks the one that sent the client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from affiliates.brands.rules import AttributionPolicy, AttributionTerms, BindingPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import Verdict
from affiliates.referrals.rules.types import (
    Binding,
    Candidate,
    Inputs,
    OrderInputs,
    Touch,
    instead_of_won,
)


def sender_of_client(
    touches: Sequence[Touch], *, terms: AttributionTerms, now: datetime
) -> Touch | None:
    """The own affiliate's click to which a client who registers at ``now`` is bound."""
    if not terms.own_program:
        return None
    return pick(_judge(touches, terms=terms, now=now), terms=terms)


def judge_clicks(inputs: Inputs) -> list[Candidate]:
    """Every click, oldest first; WON are those that may still be credited."""
    terms = inputs.policy.terms
    clicks = _judge(inputs.touches, terms=terms, now=inputs.now)
    judged = _keep_binding(clicks, inputs.binding, terms=terms)
    return _stand_down(judged, inputs.order, terms=terms, now=inputs.now)


def pick(judged: Sequence[Candidate], *, terms: AttributionTerms) -> Touch | None:
    """The one the policy prefers among those that may be credited."""
    eligible = [
        judgement.touch for judgement in judged if judgement.verdict is Verdict.WON
    ]
    if not eligible:
        return None
    is_first_click = terms.policy is AttributionPolicy.FIRST_CLICK
    return eligible[0] if is_first_click else eligible[-1]


def rank(judged: Sequence[Candidate], winner: Touch) -> list[Candidate]:
    """The same, with what each that might have been credited lost to."""
    place = next(n for n, judgement in enumerate(judged) if judgement.touch is winner)
    lost = Verdict.LATER_CLICK_WON, Verdict.EARLIER_CLICK_WON
    return [
        replace(judgement, verdict=lost[number > place])
        if judgement.verdict is Verdict.WON and number != place
        else judgement
        for number, judgement in enumerate(judged)
    ]


def in_time_until(
    basket_at: datetime | None, *, terms: AttributionTerms, now: datetime
) -> datetime:
    """Up to when a click could still displace one of another affiliate."""
    if not terms.stand_down or terms.policy is AttributionPolicy.FIRST_CLICK:
        return now
    in_time = now - terms.stand_down
    return in_time if basket_at is None else min(in_time, basket_at)


def merge_touches(clicks: Sequence[Touch], bound: Sequence[Touch]) -> tuple[Touch, ...]:
    """The clicks and the binding's as one, in which no click is twice.

    The click by which the client is another affiliate's by now is that one's.
    """
    senders = {click.click_id: click.affiliate_id for click in clicks}
    added = [
        touch for touch in bound if senders.get(touch.click_id) != touch.affiliate_id
    ]
    bound_ids = {touch.click_id for touch in added}
    return (*(click for click in clicks if click.click_id not in bound_ids), *added)


def _judge(
    touches: Sequence[Touch], *, terms: AttributionTerms, now: datetime
) -> list[Candidate]:
    return [
        Candidate(touch=touch, verdict=_exclusion(touch, terms=terms, now=now))
        for touch in sorted(touches, key=lambda touch: touch.touched_at)
    ]


def _exclusion(touch: Touch, *, terms: AttributionTerms, now: datetime) -> Verdict:
    """The first rule that excludes the touch; WON when none does."""
    if touch.is_bot:
        return Verdict.BOT
    if touch.touched_at > now:
        return Verdict.AFTER_ORDER
    if now - touch.touched_at > terms.window:
        return Verdict.OUTSIDE_WINDOW
    if touch.status_at_visit is not AffiliateStatus.ACTIVE:
        return Verdict.NOT_ACTIVE_AT_VISIT
    if touch.status_at_order is not AffiliateStatus.ACTIVE:
        return Verdict.NOT_ACTIVE_AT_ORDER
    if not touch.program_on_at_visit:
        return Verdict.PROGRAM_OFF_AT_VISIT
    if touch.is_repeat:
        return Verdict.REPEAT
    return Verdict.WON


def _keep_binding(
    judged: Sequence[Candidate], binding: Binding | None, *, terms: AttributionTerms
) -> Sequence[Candidate]:
    """While the binding holds, others' clicks since the registration do not count."""
    if binding is None or terms.bound_clients is not BindingPolicy.KEEP:
        return judged
    if not any(
        judgement.touch.click_id == binding.click_id
        and judgement.verdict is Verdict.WON
        for judgement in judged
    ):
        return judged
    return instead_of_won(
        judged,
        Verdict.BOUND_CLIENT,
        is_excluded=lambda touch: (
            touch.touched_at > binding.bound_at
            and touch.affiliate_id != binding.affiliate_id
        ),
    )


def _stand_down(
    judged: Sequence[Candidate],
    order: OrderInputs,
    *,
    terms: AttributionTerms,
    now: datetime,
) -> list[Candidate]:
    """A late click wins only from its own affiliate's, or where there is no other."""
    in_time = in_time_until(order.basket_at, terms=terms, now=now)
    leader: Touch | None = None
    kept = []
    for judgement in judged:
        if judgement.verdict is Verdict.WON:
            is_rival = (
                leader is not None
                and leader.affiliate_id != judgement.touch.affiliate_id
            )
            if is_rival and judgement.touch.touched_at > in_time:
                judgement = replace(judgement, verdict=Verdict.LATE_TOUCH_STOOD_DOWN)
            else:
                leader = judgement.touch
        kept.append(judgement)
    return kept
