"""What a signal was found by, in words made from the facts that are stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from affiliates.fraud.rules.policy import Signal
from affiliates.fraud.rules.types import CLICK_DAYS

_SENTENCES: Mapping[Signal, str] = {
    Signal.DISPOSABLE_EMAIL: (
        "The client's e-mail address is at {domain}, which gives out throw-away "
        "addresses."
    ),
    Signal.VELOCITY: (
        "The affiliate had at least {orders} orders in the 24 hours up to this one; more than "
        "{threshold} are a signal."
    ),
    Signal.FAST_ORDER: (
        "The order was converted {seconds} seconds after the click; less than "
        "{threshold} are a signal."
    ),
    Signal.BOT_SHARE: (
        f"Of the affiliate's last {{clicks}} clicks, none older than {CLICK_DAYS} days, "
        "{by_bots} were not made by people; {threshold} percent or more are a signal."
    ),
    Signal.PAID_ADS: (
        "The winning click's address holds {parameter}, written by {written_by}, and "
        "the affiliate's plan forbids paid advertising."
    ),
}
_SELF_REFERRAL = {
    "account": "The affiliate and the client are one account.",
    "mailbox": "The client's e-mail address leads to the affiliate's mailbox.",
}
_OWN_ORDER = (
    "The affiliate ordered from the client's network within 24 hours of this order."
)
_MANY_CLIENTS = (
    "At least {clients} different clients of the affiliate ordered from one network "
    "within 24 hours; {threshold} or more are a signal."
)


def evidence_text(signal: str, facts: Mapping[str, Any]) -> str:
    """The sentence of one signal that was found, as its review holds it."""
    return _sentence(Signal(signal), facts).format(**facts)


def signals_text(signals: Sequence[str]) -> str:
    """The first signal in words, and how many more there are."""
    label, more = Signal(signals[0]).label, len(signals) - 1
    if not more:
        return label
    return f"{label} ({more} more {'signal' if more == 1 else 'signals'})"


def _sentence(signal: Signal, facts: Mapping[str, Any]) -> str:
    if signal is Signal.SELF_REFERRAL:
        return _SELF_REFERRAL[facts["same"]]
    if signal is Signal.SAME_NETWORK:
        return _OWN_ORDER if facts["own_orders"] else _MANY_CLIENTS
    return _SENTENCES[signal]
