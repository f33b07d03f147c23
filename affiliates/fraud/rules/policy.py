"""Signals of suspicious sales, and a brand's action for each. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices

MAX_PERCENT = 100


class Signal(TextChoices):
    SELF_REFERRAL = "self_referral", "The affiliate seems to be the client"
    OWN_BROWSER = "own_browser", "The order came by the affiliate's own browser"
    SAME_NETWORK = "same_network", "Orders share a network address"
    DISPOSABLE_EMAIL = "disposable_email", "The client's e-mail address is a throw-away"
    VELOCITY = "velocity", "Unusually many orders in a short time"
    FAST_ORDER = "fast_order", "The order came within seconds of the click"
    BOT_SHARE = "bot_share", "Most of the affiliate's clicks are not made by people"
    PAID_ADS = "paid_ads", "The click came from paid advertising the plan forbids"
    CLICK_FLOOD = "click_flood", "Many clicks from one network around the winning click"
    COOKIE_STUFFING = "cookie_stuffing", "The click was made inside another site's page"
    FORGED_REFERRER = "forged_referrer", "The click's referrer is not a browser's"
    BANNED_REFERRER = "banned_referrer", "The click came from a banned referrer"
    CODE_LEAK = "code_leak", "Many clients used the code without a click"
    CODE_WITHOUT_CLICK = "code_without_click", "The code was used without a click"
    SHARED_DESTINATION = (
        "shared_destination",
        "Another affiliate has the same payout destination",
    )
    SHARED_BROWSER = (
        "shared_browser",
        "Another affiliate registered in the same browser",
    )

    @property
    def counts(self) -> str:
        """The unit that the threshold counts; empty for a signal without a threshold."""
        return _COUNTS.get(self, "")


_COUNTS = {
    Signal.SAME_NETWORK: "clients of one network within 24 hours",
    Signal.VELOCITY: "orders within 24 hours",
    Signal.FAST_ORDER: "seconds from click to order",
    Signal.BOT_SHARE: "percent of clicks",
    Signal.CLICK_FLOOD: "clicks from one network within 10 minutes of the winning click",
    Signal.CODE_LEAK: "clients without a click who used the code within 24 hours",
}
_AT_LEAST_TWO = {
    Signal.SAME_NETWORK: "Enter 2 or more: one client alone shares no network.",
    Signal.CLICK_FLOOD: "Enter 2 or more: the winning click itself is counted.",
    Signal.CODE_LEAK: "Enter 2 or more: the order's own client is counted.",
}


class FraudAction(TextChoices):
    """From the mildest to the strictest."""

    ALLOW = "allow", "Ignore"
    FLAG = "flag", "Flag for staff, pay after the hold"
    HOLD = "hold", "Hold until staff decide"
    DECLINE = "decline", "Reject the commission"

    @property
    def strictness(self) -> int:
        return list(FraudAction).index(self)

    @property
    def done(self) -> str:
        """The action in the past tense."""
        return _DONE[self]


_DONE = {
    FraudAction.ALLOW: "Ignored",
    FraudAction.FLAG: "Flagged",
    FraudAction.HOLD: "Held",
    FraudAction.DECLINE: "Declined",
}


class ReviewOutcome(TextChoices):
    OPEN = "open", "To be reviewed"
    RELEASED = "released", "Released"
    REJECTED = "rejected", "Rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalPolicy:
    """The action for a signal, and the threshold that makes it one."""

    action: FraudAction
    threshold: int = 0


# Only what is hardly ever innocent holds money back by itself.
DEFAULT_POLICIES: Mapping[Signal, SignalPolicy] = {
    Signal.SELF_REFERRAL: SignalPolicy(action=FraudAction.HOLD),
    Signal.OWN_BROWSER: SignalPolicy(action=FraudAction.HOLD),
    Signal.SAME_NETWORK: SignalPolicy(action=FraudAction.FLAG, threshold=3),
    Signal.DISPOSABLE_EMAIL: SignalPolicy(action=FraudAction.FLAG),
    Signal.VELOCITY: SignalPolicy(action=FraudAction.FLAG, threshold=25),
    Signal.FAST_ORDER: SignalPolicy(action=FraudAction.FLAG, threshold=30),
    Signal.BOT_SHARE: SignalPolicy(action=FraudAction.FLAG, threshold=80),
    Signal.PAID_ADS: SignalPolicy(action=FraudAction.HOLD),
    Signal.CLICK_FLOOD: SignalPolicy(action=FraudAction.FLAG, threshold=30),
    Signal.COOKIE_STUFFING: SignalPolicy(action=FraudAction.FLAG),
    Signal.FORGED_REFERRER: SignalPolicy(action=FraudAction.FLAG),
    # The brand has named each domain itself.
    Signal.BANNED_REFERRER: SignalPolicy(action=FraudAction.HOLD),
    Signal.CODE_LEAK: SignalPolicy(action=FraudAction.FLAG, threshold=5),
    # What codes are for: they are also spoken and printed.
    Signal.CODE_WITHOUT_CLICK: SignalPolicy(action=FraudAction.ALLOW),
    Signal.SHARED_DESTINATION: SignalPolicy(action=FraudAction.FLAG),
    Signal.SHARED_BROWSER: SignalPolicy(action=FraudAction.FLAG),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSignal:
    """One signal that was found, with the facts that its sentence is made of."""

    signal: Signal
    action: FraudAction
    facts: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {
            "signal": self.signal,
            "action": self.action,
            "facts": dict(self.facts),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FraudVerdict:
    """The action for a sale, and the signals that call for it, the strictest first."""

    action: FraudAction
    signals: tuple[Signal, ...]


NOTHING_FOUND = FraudVerdict(action=FraudAction.ALLOW, signals=())


def judge(found: Sequence[FoundSignal]) -> FraudVerdict:
    """The strictest action of all that were found decides."""
    counted = [signal for signal in found if signal.action is not FraudAction.ALLOW]
    if not counted:
        return NOTHING_FOUND
    counted.sort(key=lambda row: row.action.strictness, reverse=True)
    signals = tuple(found_signal.signal for found_signal in counted)
    return FraudVerdict(action=counted[0].action, signals=signals)


def threshold_fault(signal: Signal, threshold: int | None) -> str | None:
    """Why a policy may not have this threshold, in a sentence for staff."""
    if threshold is None:
        return None
    if not signal.counts:
        return "This signal counts nothing: leave the threshold empty."
    if signal is Signal.BOT_SHARE and not 1 <= threshold <= MAX_PERCENT:
        return "Enter a percentage from 1 to 100."
    return _AT_LEAST_TWO.get(signal) if threshold < 2 else None
