"""Who is credited for an order, and why: one pure decision, kept whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from affiliates.brands.rules import AttributionPolicy
from affiliates.core.enums import LabelledEnum
from affiliates.program.rules import AffiliateStatus


class Carrier(LabelledEnum):
    """What brought a touch to the decision."""

    COOKIE = "cookie", "Referral cookie"
    BINDING = "binding", "Client's registration"


class CookieState(LabelledEnum):
    ABSENT = "absent", "No referral cookie was sent"
    UNUSABLE = "unusable", "The referral cookie sent was expired or not this brand's"
    CLICK_GONE = "click_gone", "The referral cookie's click is no longer on record"
    VALID = "valid", "A valid referral cookie was sent"


class Verdict(LabelledEnum):
    WON = "won", "Credited"
    LATER_CLICK_WON = "later_click_won", "A later click won"
    EARLIER_CLICK_WON = "earlier_click_won", "An earlier click won"
    REPEAT = "repeat", "Repeat of the same affiliate's click within 30 minutes"
    BOT = "bot", "Not made by a person"
    OUTSIDE_WINDOW = "outside_window", "Older than the attribution window"
    AFTER_ORDER = "after_order", "Made after the order was converted"
    NOT_ACTIVE_AT_VISIT = "not_active_at_visit", "Affiliate not active at the click"
    NOT_ACTIVE_AT_ORDER = "not_active_at_order", "Affiliate not active at the order"
    PROGRAM_OFF_AT_VISIT = "program_off_at_visit", "Own program off at the click"
    NOT_ELIGIBLE_ORDER = "not_eligible_order", "The order itself earns nothing"


class Outcome(LabelledEnum):
    CREDITED = "credited", "Credited"
    HELD = "held", "Held for review"
    NOBODY = "nobody", "Nobody credited"


class Reason(LabelledEnum):
    """Why the decision came out as it did."""

    LAST_CLICK = "last_click", "The last click inside the window wins."
    FIRST_CLICK = "first_click", "The first click inside the window wins."
    SELF_REFERRAL = (
        "self_referral",
        "The affiliate is the client or shares the client's e-mail address.",
    )
    NO_TOUCH = "no_touch", "No affiliate is known to have sent this client."
    NO_ELIGIBLE_TOUCH = (
        "no_eligible_touch",
        "Affiliates sent this client, but no click of theirs may be credited.",
    )
    EXISTING_CLIENT = (
        "existing_client",
        "The client had paid an earlier order, and existing clients earn nothing.",
    )
    PROGRAM_OFF = "program_off", "The brand's own affiliate program is off."


class Touch(NamedTuple):
    """One affiliate's contact with the client, with the facts a verdict needs."""

    carrier: Carrier
    click_id: UUID
    touched_at: datetime
    affiliate_id: int
    affiliate_code: str
    status_at_visit: AffiliateStatus
    status_now: AffiliateStatus
    program_on_at_visit: bool
    is_bot: bool
    is_repeat: bool
    is_self: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The brand's policy at the moment of the decision."""

    policy: AttributionPolicy
    window: timedelta
    own_program: bool
    existing_clients_earn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    touch: Touch
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Every candidate with its verdict, and the winner or the reason why nobody."""

    outcome: Outcome
    reason: Reason
    winner: Touch | None
    candidates: tuple[Candidate, ...]
    cookie: CookieState
    terms: Terms
    decided_at: datetime


def decide_order(
    touches: Sequence[Touch],
    *,
    cookie: CookieState,
    client_paid_before: bool,
    terms: Terms,
    now: datetime,
) -> Decision:
    """Decide who is credited for an order converted at ``now``."""
    decision = decide_client(touches, cookie=cookie, terms=terms, now=now)
    if decision.winner is None:
        return decision
    if client_paid_before and not terms.existing_clients_earn:
        return _nobody(decision, Reason.EXISTING_CLIENT)
    if decision.winner.is_self:
        return replace(decision, outcome=Outcome.HELD, reason=Reason.SELF_REFERRAL)
    return decision


def decide_client(
    touches: Sequence[Touch], *, cookie: CookieState, terms: Terms, now: datetime
) -> Decision:
    """Decide whom a client who registers at ``now`` was sent by."""
    judged = [
        Candidate(touch=touch, verdict=_exclusion(touch, terms=terms, now=now))
        for touch in sorted(touches, key=lambda touch: touch.touched_at)
    ]
    eligible = [one.touch for one in judged if one.verdict is Verdict.WON]
    winner = _pick(eligible, terms.policy)
    decision = Decision(
        outcome=Outcome.NOBODY if winner is None else Outcome.CREDITED,
        reason=_reason(judged, winner, terms.policy),
        winner=winner,
        candidates=tuple(_ranked(one, winner) for one in judged),
        cookie=cookie,
        terms=terms,
        decided_at=now,
    )
    if winner is not None and not terms.own_program:
        return _nobody(decision, Reason.PROGRAM_OFF)
    return decision


def _exclusion(touch: Touch, *, terms: Terms, now: datetime) -> Verdict:
    """The first rule that excludes the touch; WON when none does."""
    if touch.is_bot:
        return Verdict.BOT
    if touch.touched_at > now:
        return Verdict.AFTER_ORDER
    if now - touch.touched_at > terms.window:
        return Verdict.OUTSIDE_WINDOW
    if touch.status_at_visit is not AffiliateStatus.ACTIVE:
        return Verdict.NOT_ACTIVE_AT_VISIT
    if touch.status_now is not AffiliateStatus.ACTIVE:
        return Verdict.NOT_ACTIVE_AT_ORDER
    if not touch.program_on_at_visit:
        return Verdict.PROGRAM_OFF_AT_VISIT
    if touch.is_repeat:
        return Verdict.REPEAT
    return Verdict.WON


def _pick(eligible: Sequence[Touch], policy: AttributionPolicy) -> Touch | None:
    if not eligible:
        return None
    return eligible[0] if policy is AttributionPolicy.FIRST_CLICK else eligible[-1]


def _reason(
    judged: Sequence[Candidate], winner: Touch | None, policy: AttributionPolicy
) -> Reason:
    if winner is None:
        return Reason.NO_ELIGIBLE_TOUCH if judged else Reason.NO_TOUCH
    if policy is AttributionPolicy.FIRST_CLICK:
        return Reason.FIRST_CLICK
    return Reason.LAST_CLICK


def _ranked(candidate: Candidate, winner: Touch | None) -> Candidate:
    if candidate.verdict is not Verdict.WON or candidate.touch is winner:
        return candidate
    if winner is not None and candidate.touch.touched_at > winner.touched_at:
        return replace(candidate, verdict=Verdict.EARLIER_CLICK_WON)
    return replace(candidate, verdict=Verdict.LATER_CLICK_WON)


def _nobody(decision: Decision, reason: Reason) -> Decision:
    """The same decision with nobody credited because of the order or the brand."""
    candidates = tuple(
        replace(one, verdict=Verdict.NOT_ELIGIBLE_ORDER)
        if one.verdict is Verdict.WON
        else one
        for one in decision.candidates
    )
    return replace(
        decision,
        outcome=Outcome.NOBODY,
        reason=reason,
        winner=None,
        candidates=candidates,
    )


def is_same_person(
    *,
    affiliate_user_id: str,
    affiliate_email: str,
    client_id: str,
    client_email: str,
) -> bool:
    """Whether the affiliate is the client, or uses the client's e-mail address."""
    if affiliate_user_id == client_id:
        return True
    email = normalise_email(client_email)
    return email != "" and email == normalise_email(affiliate_email)


def normalise_email(email: str) -> str:
    """The mailbox behind an address: lower case, without a +tag."""
    local, at, domain = email.strip().casefold().rpartition("@")
    return f"{local.partition('+')[0]}{at}{domain}"


def merge_touches(clicks: Sequence[Touch], binding: Touch | None) -> list[Touch]:
    """The clicks and the binding as one list, in which no click stands twice."""
    if binding is None or any(one.click_id == binding.click_id for one in clicks):
        return list(clicks)
    return [*clicks, binding]
