"""The part of a decision that an affiliate may read: its own, and nobody else's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from affiliates.brands.rules import AttributionTerms
from affiliates.core.days import day, span
from affiliates.referrals.rules.choices import Carrier, Outcome, Reason, Verdict
from affiliates.referrals.rules.stored import age_of

# The final verdicts of a click that was first in line.
_FIRST_IN_LINE = frozenset(
    {
        Verdict.WON,
        Verdict.NOT_ELIGIBLE_ORDER,
        Verdict.PROGRAM_OFF_AT_ORDER,
        Verdict.BRAND_INACTIVE_AT_ORDER,
        Verdict.THIRD_PARTY_WON,
    }
)
# Of several lost touches, the one closest to being credited gives the reason.
_NEAREST = (
    Verdict.STAFF_ASSIGNED,
    Verdict.THIRD_PARTY_WON,
    Verdict.NOT_ELIGIBLE_ORDER,
    Verdict.PROGRAM_OFF_AT_ORDER,
    Verdict.BRAND_INACTIVE_AT_ORDER,
    Verdict.COUPON_WON,
    Verdict.LINK_WON,
    Verdict.LATER_CLICK_WON,
    Verdict.EARLIER_CLICK_WON,
    Verdict.BOUND_CLIENT,
    Verdict.LATE_TOUCH_STOOD_DOWN,
    Verdict.NOT_ACTIVE_AT_ORDER,
    Verdict.OUTSIDE_WINDOW,
    Verdict.NOT_ACTIVE_AT_VISIT,
    Verdict.PROGRAM_OFF_AT_VISIT,
    Verdict.AFTER_ORDER,
    Verdict.REPEAT,
    Verdict.BOT,
)
_OUTCOMES = {
    Outcome.CREDITED: gettext_noop("This order is credited to you."),
    Outcome.HELD: gettext_noop(
        "This order is credited to you and held for review: it may be your own."
    ),
}
_NOT_YOURS = gettext_noop("This order is not credited to you.")
_NOT_FIRST = gettext_noop(
    "This order is credited to nobody: it was not a first order, and only those earn."
)
_BY_STAFF = gettext_noop("This order was decided by staff and is not credited to you.")
_UNKNOWN = gettext_noop("No click of yours is known for this order.")

# Sentences that need no fact except which of the affiliate's touches it is.
_SENTENCES = {
    Verdict.WON: gettext_noop("{It} won."),
    Verdict.STAFF_ASSIGNED: gettext_noop(
        "{It} did not decide: this order was decided by staff."
    ),
    Verdict.REPEAT: gettext_noop("{It} repeated another of the 30 minutes before."),
    Verdict.BOT: gettext_noop("{It} was not made by a person."),
    Verdict.NOT_ACTIVE_AT_VISIT: gettext_noop(
        "{It} came while you were not an active affiliate."
    ),
    Verdict.NOT_ACTIVE_AT_ORDER: gettext_noop(
        "{It} could not count: you were not an active affiliate at the order."
    ),
    Verdict.PROGRAM_OFF_AT_VISIT: gettext_noop(
        "{It} came while the affiliate program was off."
    ),
    Verdict.PROGRAM_OFF_AT_ORDER: gettext_noop(
        "{It} could not count: the affiliate program was off at the order."
    ),
    Verdict.BRAND_INACTIVE_AT_ORDER: gettext_noop(
        "{It} could not count: the brand was inactive at the order."
    ),
    Verdict.NOT_ELIGIBLE_ORDER: gettext_noop(
        "{It} was good, but only first orders earn."
    ),
    Verdict.THIRD_PARTY_WON: gettext_noop(
        "{It} was good, but another source was credited."
    ),
    Verdict.BOUND_CLIENT: gettext_noop(
        "{It} came after another affiliate's referral, which it could not displace."
    ),
    Verdict.LINK_WON: gettext_noop(
        "{It} stood behind a click, as the brand's policy has it."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedClick:
    """The verdict on one of the affiliate's own touches."""

    touched_at: datetime
    verdict: Verdict
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedReading:
    """The affiliate's part of a decision, which is empty without clicks.

    ``reason`` is why the order is not credited to the affiliate, where known.
    """

    is_credited: bool
    reason: Verdict | None
    summary: str
    clicks: tuple[RedactedClick, ...]


def redact(
    stored: Mapping[str, Any], *, affiliate_id: int, zone: tzinfo = UTC
) -> RedactedReading:
    """The stored decision as this affiliate may read it, with dates in the zone.

    It holds only the verdicts on its own clicks, names nobody else and says nothing
    about the client.
    """
    mine = [
        candidate
        for candidate in stored["candidates"]
        if candidate["affiliate_id"] == affiliate_id
    ]
    verdicts = {Verdict(candidate["verdict"]) for candidate in mine}
    if not mine and _is_assigned(stored):
        # It may replace an earlier assignment to them, which the decision no longer
        # holds.
        verdicts = {Verdict.STAFF_ASSIGNED}
    is_credited = Verdict.WON in verdicts
    lost = (verdict for verdict in _NEAREST if verdict in verdicts and not is_credited)
    reason = next(lost, None)
    return RedactedReading(
        is_credited=is_credited,
        reason=reason,
        summary=_summary(stored, is_credited=is_credited, is_known=bool(mine)),
        clicks=tuple(
            RedactedClick(
                touched_at=datetime.fromisoformat(candidate["touched_at"]),
                verdict=Verdict(candidate["verdict"]),
                sentence=_sentence(candidate, mine, stored, zone),
            )
            for candidate in mine
        ),
    )


def _summary(stored: Mapping[str, Any], *, is_credited: bool, is_known: bool) -> str:
    if is_credited:
        return _(_OUTCOMES[Outcome(stored["outcome"])])
    if is_known:
        is_later = stored["reason"] == Reason.EXISTING_CLIENT
        return _(_NOT_FIRST if is_later else _NOT_YOURS)
    return _(_BY_STAFF if _is_assigned(stored) else _UNKNOWN)


def _is_assigned(stored: Mapping[str, Any]) -> bool:
    return stored["order"]["assignment"] is not None


def _sentence(
    candidate: Mapping[str, Any],
    mine: Sequence[Mapping[str, Any]],
    stored: Mapping[str, Any],
    zone: tzinfo,
) -> str:
    words = _subject(candidate, zone)
    verdict = Verdict(candidate["verdict"])
    terms = AttributionTerms.from_json(stored["terms"])
    age = age_of(candidate, stored)
    match verdict:
        case Verdict.OUTSIDE_WINDOW:
            return _("{It} was {span} outside the {days}-day window.").format(
                **words, span=span(age - terms.window), days=terms.window.days
            )
        case Verdict.AFTER_ORDER:
            text = _("{It} was made {span} after the order.")
            return text.format(**words, span=span(-age))
        case Verdict.LATE_TOUCH_STOOD_DOWN:
            return _late(words, age, terms)
        case Verdict.LATER_CLICK_WON | Verdict.EARLIER_CLICK_WON:
            return _displaced(verdict, mine, stored).format(**words)
        case Verdict.COUPON_WON:
            return _by_coupon(mine).format(**words)
        case _:
            return _(_SENTENCES[verdict]).format(**words)


def _subject(candidate: Mapping[str, Any], zone: tzinfo) -> dict[str, str]:
    """The touch as the subject: at the start of a sentence, and inside one."""
    match Carrier(candidate["carrier"]):
        case Carrier.COUPON:
            return {"It": _("Your coupon code"), "it": _("your coupon code")}
        case Carrier.TYPED:
            return {"It": _("Your code"), "it": _("your code")}
        case Carrier.STAFF:
            return {
                "It": _("Staff's decision for you"),
                "it": _("staff's decision for you"),
            }
        case _:
            at = day(datetime.fromisoformat(candidate["touched_at"]), zone)
            return {
                "It": _("Your click of {day}").format(day=at),
                "it": _("your click of {day}").format(day=at),
            }


def _late(words: Mapping[str, str], age: timedelta, terms: AttributionTerms) -> str:
    if age < terms.stand_down:
        return _(
            "{It} was made {span} before the order, inside the last {minutes} minutes "
            "and too late to displace another affiliate's earlier one."
        ).format(
            **words, span=span(age), minutes=terms.stand_down // timedelta(minutes=1)
        )
    return _(
        "{It} was made at the checkout, too late to displace another affiliate's "
        "earlier one."
    ).format(**words)


def _displaced(
    verdict: Verdict, mine: Sequence[Mapping[str, Any]], stored: Mapping[str, Any]
) -> str:
    is_later = verdict is Verdict.LATER_CLICK_WON
    if any(Verdict(other["verdict"]) in _FIRST_IN_LINE for other in mine):
        if is_later:
            return _("{It} was followed by a later click of yours.")
        return _("{It} came after an earlier click of yours.")
    if stored["outcome"] == Outcome.NOBODY:
        if is_later:
            return _(
                "{It} stood behind another affiliate's later one, and this order earns "
                "nobody anything."
            )
        return _(
            "{It} stood behind another affiliate's earlier one, and this order earns "
            "nobody anything."
        )
    if is_later:
        return _("Another affiliate's later click won over {it}.")
    return _("Another affiliate's earlier click won over {it}.")


def _by_coupon(mine: Sequence[Mapping[str, Any]]) -> str:
    if any(Carrier(candidate["carrier"]).is_code for candidate in mine):
        return _("Your own code won over {it}.")
    return _("Another affiliate's code won over {it}.")
