"""The inputs and the outcome of a decision: plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
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


class CookieUse(StrEnum):
    """``UNUSABLE`` was damaged, expired, of another brand, or no cookie at all."""

    ABSENT = "absent"
    USABLE = "usable"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventResult:
    """The use of the referral cookie given with an event; a repeat returns the same."""

    cookie: CookieUse


class Touch(NamedTuple):
    """One affiliate's contact with the client, with the facts a verdict needs.

    ``click_id`` is None without a click: for a coupon code or an assignment by staff.
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

    ``visitor_id`` is the integration's identifier of the visitor, "" for none.
    ``click_id`` is None when only the cookie records the visit. ``ip`` is the
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
    """Binds the client to the affiliate since ``bound_at``, by the click of that id."""

    click_id: UUID
    affiliate_id: int
    bound_at: datetime


class Sender(NamedTuple):
    """An affiliate that an order names without a click, as of the order."""

    affiliate_id: int
    affiliate_code: str
    status: AffiliateStatus
    is_self: bool


class Coupon(NamedTuple):
    """The affiliate's code that the order names."""

    code: str
    sender: Sender


class Assignment(NamedTuple):
    """Staff's assignment of the order; without ``sender``, to nobody."""

    sender: Sender | None
    reason: str
    at: datetime


class OrderInputs(NamedTuple):
    """``basket_at`` is when the basket began; None if not known.

    ``typed`` is a code without a coupon of the host: an affiliate's own, for example.
    """

    basket_at: datetime | None
    client_paid_before: bool
    coupon: Coupon | None = None
    assignment: Assignment | None = None
    typed: Coupon | None = None

    @property
    def codes(self) -> tuple[tuple[Carrier, Coupon], ...]:
        """The order's codes; the first wins over the second."""
        both = ((Carrier.COUPON, self.coupon), (Carrier.TYPED, self.typed))
        return tuple((carrier, code) for carrier, code in both if code is not None)

    @property
    def code(self) -> str:
        return next((code.code for _, code in self.codes), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The brand's terms; ``version`` is their number, if stored."""

    terms: AttributionTerms
    version_id: int | None
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All inputs of a decision: stored with it, so it can be repeated.

    ``touches`` include the binding's click, if the client is bound.
    """

    touches: tuple[Touch, ...]
    external: tuple[ExternalTouch, ...]
    binding: Binding | None
    order: OrderInputs
    cookie: CookieState
    policy: Policy
    now: datetime
    is_brand_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    touch: Touch
    verdict: Verdict

    @property
    def rule(self) -> Rule:
        """The origin of the verdict; for a winner, also what made it the winner."""
        if self.verdict is not Verdict.WON:
            return self.verdict.rule
        return _WINNING_RULES.get(self.touch.carrier, self.verdict.rule)


def instead_of_won(
    judged: Iterable[Candidate],
    verdict: Verdict,
    *,
    is_excluded: Callable[[Touch], bool] = lambda touch: True,
) -> tuple[Candidate, ...]:
    """The same, with this verdict on winners that it excludes."""
    return tuple(
        replace(judgement, verdict=verdict)
        if judgement.verdict is Verdict.WON and is_excluded(judgement.touch)
        else judgement
        for judgement in judged
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalCandidate:
    touch: ExternalTouch
    verdict: ExternalVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Every candidate with its verdict, and the winner or the reason for having none.

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
        """The visit whose integration is notified of the sale, if any."""
        if self.external is None or not self.external.verdict.is_credited:
            return None
        return self.external.touch


_WINNING_RULES = {
    Carrier.COUPON: Rule.COUPONS,
    Carrier.TYPED: Rule.COUPONS,
    Carrier.STAFF: Rule.STAFF,
}
