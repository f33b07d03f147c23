"""What an affiliate can do about an order that is not credited to it."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from affiliates.referrals.rules.choices import Verdict

_BY_THE_RULES = gettext_noop(
    "The program's rules decide whose an order is where several have a part."
)
_CLICK_AGAIN = gettext_noop(
    "Nothing to do for this order. A client who follows one of your links again counts anew."
)
_ACTIVE_ONLY = gettext_noop(
    "Only clicks and orders of the time in which you are active count."
)
_PROGRAM_ON_ONLY = gettext_noop(
    "Only clicks and orders of the time in which the program is on count."
)
_ADVICE: Mapping[str, str] = {
    Verdict.STAFF_ASSIGNED: gettext_noop("People looked into this order and decided."),
    Verdict.THIRD_PARTY_WON: _BY_THE_RULES,
    Verdict.COUPON_WON: _BY_THE_RULES,
    Verdict.LINK_WON: _BY_THE_RULES,
    Verdict.LATER_CLICK_WON: _BY_THE_RULES,
    Verdict.EARLIER_CLICK_WON: _BY_THE_RULES,
    Verdict.BOUND_CLIENT: _BY_THE_RULES,
    Verdict.LATE_TOUCH_STOOD_DOWN: _BY_THE_RULES,
    Verdict.NOT_ELIGIBLE_ORDER: gettext_noop(
        "By the program's rules such an order earns nothing."
    ),
    Verdict.PROGRAM_OFF_AT_ORDER: _PROGRAM_ON_ONLY,
    Verdict.PROGRAM_OFF_AT_VISIT: _PROGRAM_ON_ONLY,
    Verdict.NOT_ACTIVE_AT_ORDER: _ACTIVE_ONLY,
    Verdict.NOT_ACTIVE_AT_VISIT: _ACTIVE_ONLY,
    Verdict.OUTSIDE_WINDOW: _CLICK_AGAIN,
    Verdict.AFTER_ORDER: _CLICK_AGAIN,
    Verdict.REPEAT: _CLICK_AGAIN,
    Verdict.BOT: gettext_noop("Only visits of people count."),
}


def advice_for(reason: str) -> str:
    """The advice for the verdict that lost the order; empty if there is none."""
    return _(_ADVICE.get(reason, ""))
