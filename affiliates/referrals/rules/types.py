"""What a decision is made from, and what it comes out as: plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from affiliates.brands.rules import AttributionTerms
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import (
    Carrier,
    CookieState,
    ExternalVerdict,
    Outcome,
    Reason,
    Rule,
    Verdict,
)


class Touch(NamedTuple):
    """One affiliate's contact with the client, with the facts a verdict needs.

    ``click_id`` is None where no click is behind it: a coupon code or staff's word.
    """

    carrier: Carrier
    click_id: UUID | None
    touched_at: datetime
    affiliate_id: int
    affiliate_code: str
    status_at_visit: AffiliateStatus
    status_at_order: AffiliateStatus
    program_on_at_visit: bool
    is_bot: bool = False
    is_repeat: bool = False
    is_self: bool = False


class ExternalTouch(NamedTuple):
    """A visit by a link of the brand's tracking integration.

    ``visitor_id`` is what the integration matches by, "" when there is none.
    ``click_id`` is None when only the cookie still knows of the visit. ``ip`` is the
    address of the visitor's network; it and ``user_agent`` may be empty.
    """

    carrier: Carrier
    integration_id: int
    visitor_id: str
    touched_at: datetime
    click_id: UUID | None = None
    affiliate: str = ""
    is_bot: bool = False
    ip: str = ""
    user_agent: str = ""


class Binding(NamedTuple):
    """Since ``bound_at`` the client is the affiliate's, by the click of that id."""

    click_id: UUID
    affiliate_id: int
    bound_at: datetime


class Sender(NamedTuple):
    """An affiliate whom an order names without a click, as it is at the order."""

    affiliate_id: int
    affiliate_code: str
    status: AffiliateStatus
    is_self: bool


class Coupon(NamedTuple):
    """The affiliate's coupon code that the order names."""

    code: str
    sender: Sender


class Assignment(NamedTuple):
    """Staff's word on whom the order goes to; without ``sender``, to nobody."""

    sender: Sender | None
    reason: str
    at: datetime


class OrderInputs(NamedTuple):
    """``basket_at`` is when the basket began; None is not known."""

    basket_at: datetime | None
    client_paid_before: bool
    coupon: Coupon | None = None
    assignment: Assignment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The brand's terms; ``version`` is their number, where one is stored."""

    terms: AttributionTerms
    version_id: int | None
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that a decision depends on: kept with it, so it can be made again.

    ``touches`` hold the binding's click too, where the client is bound.
    """

    touches: tuple[Touch, ...]
    external: tuple[ExternalTouch, ...]
    binding: Binding | None
    order: OrderInputs
    cookie: CookieState
    policy: Policy
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    touch: Touch
    verdict: Verdict

    @property
    def rule(self) -> Rule:
        """What gave the verdict: for a winner, also what made it one."""
        if self.verdict is not Verdict.WON:
            return self.verdict.rule
        return _WINNING_RULES.get(self.touch.carrier, self.verdict.rule)


def instead_of_won(
    judged: Iterable[Candidate],
    verdict: Verdict,
    *,
    is_excluded: Callable[[Touch], bool] = lambda touch: True,
) -> tuple[Candidate, ...]:
    """The same, with this verdict on those that had won and are excluded by it."""
    return tuple(
        replace(one, verdict=verdict)
        if one.verdict is Verdict.WON and is_excluded(one.touch)
        else one
        for one in judged
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalCandidate:
    touch: ExternalTouch
    verdict: ExternalVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Every candidate with its verdict, and the winner or the reason why nobody.

    ``winner`` is the credited affiliate of the brand's own program. ``external`` is the
    tracking integration's visit, which may be credited instead or as well.
    """

    outcome: Outcome
    reason: Reason
    winner: Touch | None
    candidates: tuple[Candidate, ...]
    inputs: Inputs
    external: ExternalCandidate | None = None

    @property
    def notified(self) -> ExternalTouch | None:
        """The visit that the tracking integration is notified of the sale for."""
        if self.external is None or not self.external.verdict.is_credited:
            return None
        return self.external.touch


_WINNING_RULES = {Carrier.COUPON: Rule.COUPONS, Carrier.STAFF: Rule.STAFF}
