"""What an affiliate may read of a decision: their own part of it, and no one else's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from affiliates.brands.rules import AttributionTerms
from affiliates.core.durations import day, span
from affiliates.core.enums import lower_first
from affiliates.referrals.rules.choices import Carrier, Outcome, Verdict
from affiliates.referrals.rules.stored import age_of

# What a click that was first in line may have become in the end.
_FIRST_IN_LINE = frozenset(
    {
        Verdict.WON,
        Verdict.NOT_ELIGIBLE_ORDER,
        Verdict.PROGRAM_OFF_AT_ORDER,
        Verdict.THIRD_PARTY_WON,
    }
)
_OUTCOMES = {
    Outcome.CREDITED: "This order is credited to you.",
    Outcome.HELD: "This order is credited to you and held for review.",
}
_NOT_YOURS = "This order is not credited to you."
_UNKNOWN = "No click of yours is known for this order."

# Those that need no other fact than which of the affiliate's touches it is.
_SENTENCES = {
    Verdict.REPEAT: "{it} repeated another of the 30 minutes before.",
    Verdict.BOT: "{it} was not made by a person.",
    Verdict.NOT_ACTIVE_AT_VISIT: "{it} came while you were not an active affiliate.",
    Verdict.NOT_ACTIVE_AT_ORDER: (
        "{it} could not count: you were not an active affiliate at the order."
    ),
    Verdict.PROGRAM_OFF_AT_VISIT: "{it} came while the affiliate program was off.",
    Verdict.PROGRAM_OFF_AT_ORDER: (
        "{it} could not count: the affiliate program was off at the order."
    ),
    Verdict.NOT_ELIGIBLE_ORDER: "{it} was good, but this order earns nobody anything.",
    Verdict.THIRD_PARTY_WON: "{it} was good, but another source was credited.",
    Verdict.BOUND_CLIENT: (
        "{it} came after another affiliate's referral, which it could not displace."
    ),
    Verdict.LINK_WON: "{it} stood behind a click, as the brand's policy has it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedClick:
    """What became of one of the affiliate's own touches."""

    touched_at: datetime
    verdict: Verdict
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedReading:
    """The affiliate's part of a decision. Without clicks they have none in it."""

    is_credited: bool
    summary: str
    clicks: tuple[RedactedClick, ...]


def redact(
    stored: Mapping[str, Any], *, affiliate_id: int, zone: tzinfo = UTC
) -> RedactedReading:
    """The stored decision as this affiliate may read it, with dates in the zone.

    It holds only what became of their own clicks, names nobody else and says nothing
    of the client.
    """
    mine = [one for one in stored["candidates"] if one["affiliate_id"] == affiliate_id]
    is_credited = any(one["verdict"] == Verdict.WON for one in mine)
    return RedactedReading(
        is_credited=is_credited,
        summary=_summary(stored, is_credited=is_credited, is_known=bool(mine)),
        clicks=tuple(
            RedactedClick(
                touched_at=datetime.fromisoformat(one["touched_at"]),
                verdict=Verdict(one["verdict"]),
                sentence=_sentence(one, mine, stored, zone),
            )
            for one in mine
        ),
    )


def _summary(stored: Mapping[str, Any], *, is_credited: bool, is_known: bool) -> str:
    if is_credited:
        return _OUTCOMES[Outcome(stored["outcome"])]
    return _NOT_YOURS if is_known else _UNKNOWN


def _sentence(
    one: Mapping[str, Any],
    mine: Sequence[Mapping[str, Any]],
    stored: Mapping[str, Any],
    zone: tzinfo,
) -> str:
    it = _subject(one, zone)
    verdict = Verdict(one["verdict"])
    terms = AttributionTerms.from_json(stored["terms"])
    age = age_of(one, stored)
    match verdict:
        case Verdict.WON:
            return f"{it} won."
        case Verdict.OUTSIDE_WINDOW:
            days = terms.window.days
            return f"{it} was {span(age - terms.window)} outside the {days}-day window."
        case Verdict.AFTER_ORDER:
            return f"{it} was made {span(-age)} after the order."
        case Verdict.LATE_TOUCH_STOOD_DOWN:
            return _late(it, age, terms)
        case Verdict.LATER_CLICK_WON | Verdict.EARLIER_CLICK_WON:
            order = "later" if verdict is Verdict.LATER_CLICK_WON else "earlier"
            if any(Verdict(other["verdict"]) in _FIRST_IN_LINE for other in mine):
                return f"{it} stood behind your own {order} one."
            if stored["outcome"] == Outcome.NOBODY:
                return (
                    f"{it} stood behind another affiliate's {order} one, and this "
                    "order earns nobody anything."
                )
            return f"Another affiliate's {order} click won over {lower_first(it)}."
        case Verdict.COUPON_WON:
            return f"{_whose(Carrier.COUPON, mine)} coupon code won over {lower_first(it)}."
        case Verdict.STAFF_ASSIGNED:
            return f"{it} did not decide: this order was decided by staff."
        case _:
            return _SENTENCES[verdict].format(it=it)


def _subject(one: Mapping[str, Any], zone: tzinfo) -> str:
    match Carrier(one["carrier"]):
        case Carrier.COUPON:
            return "Your coupon code"
        case Carrier.STAFF:
            return "Staff's decision for you"
        case _:
            touched_at = datetime.fromisoformat(one["touched_at"])
            return f"Your click of {day(touched_at, zone)}"


def _late(it: str, age: timedelta, terms: AttributionTerms) -> str:
    ending = "too late to displace another affiliate's earlier one."
    if age < terms.stand_down:
        minutes = terms.stand_down // timedelta(minutes=1)
        return (
            f"{it} was made {span(age)} before the order, inside the last {minutes} "
            f"minutes and {ending}"
        )
    return f"{it} was made at the checkout, {ending}"


def _whose(carrier: Carrier, mine: Sequence[Mapping[str, Any]]) -> str:
    is_mine = any(one["carrier"] == carrier for one in mine)
    return "Your own" if is_mine else "Another affiliate's"
