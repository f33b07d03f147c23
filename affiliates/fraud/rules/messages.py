"""Sentences that say why a signal was found, made from its stored facts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from affiliates.fraud.rules.policy import Signal
from affiliates.fraud.rules.types import CLICK_DAYS

_SENTENCES: Mapping[Signal, str] = {
    Signal.OWN_BROWSER: (
        "The client clicked in a browser in which the affiliate registered or ordered as "
        "a client."
    ),
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
    Signal.CLICK_FLOOD: (
        "Within 10 minutes of the winning click, the affiliate had at least {clicks} "
        "clicks from its network; {threshold} or more are a signal."
    ),
    Signal.CODE_LEAK: (
        "At least {clients} different clients used the code {code} in the 24 hours up to "
        "this order without a click; {threshold} or more are a signal."
    ),
    Signal.SHARED_DESTINATION: (
        "Other affiliates of the brand whose payout destination is, or was, this "
        "affiliate's: {affiliates}."
    ),
    Signal.SHARED_BROWSER: (
        "Other affiliates of the brand whose client account was registered in the same "
        "browser as this affiliate's: {affiliates}."
    ),
    Signal.CODE_WITHOUT_CLICK: (
        "The order was won by the code {code}, and no click of the client is known."
    ),
}
# Which facts decide the sentence, and the sentence for each.
_BY_FACT: Mapping[Signal, tuple[str, Mapping[Any, str]]] = {
    Signal.COOKIE_STUFFING: (
        "embedding",
        {
            "frame": "The winning click was made in a frame of another site's page.",
            "part": "The winning click was not an opened page: another site loaded it as "
            "an image, a script or the like.",
        },
    ),
    Signal.FORGED_REFERRER: (
        "fault",
        {
            "fragment": "The click states a referrer with a part after #, which browsers never send.",
            "credentials": "The click states a referrer with a user name, which browsers never send.",
            "spelling": "The click states a referrer that is not spelt as browsers spell addresses.",
        },
    ),
    Signal.BANNED_REFERRER: (
        "by_code",
        {
            False: "The winning click came from {domain}, which the brand has banned.",
            True: "A code won the order, and the client's last click came from {domain}, "
            "which the brand has banned.",
        },
    ),
}
_SELF_REFERRAL = {
    "account": "The affiliate and the client are one account.",
    "mailbox": "The client's e-mail address leads to the affiliate's mailbox.",
}
_OWN_ORDER = (
    "The affiliate ordered from the client's network within 24 hours of this order."
)
_OWN_VISIT = (
    "A browser of the affiliate's opened links from the client's network within 24 hours "
    "of this order."
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
        return _network_sentence(facts)
    if signal in _BY_FACT:
        fact, sentences = _BY_FACT[signal]
        return sentences[facts[fact]]
    return _SENTENCES[signal]


def _network_sentence(facts: Mapping[str, Any]) -> str:
    if facts["own_orders"]:
        return _OWN_ORDER
    return _OWN_VISIT if facts["own_visits"] else _MANY_CLIENTS
