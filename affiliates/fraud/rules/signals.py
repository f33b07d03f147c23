"""The signals themselves: facts of a sale in, what was found with its evidence out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple

from affiliates.fraud.rules.advertising import paid_ad_mark
from affiliates.fraud.rules.mailboxes import disposable_domain, mailbox_of
from affiliates.fraud.rules.policy import (
    MAX_PERCENT,
    NOTHING_FOUND,
    FoundSignal,
    FraudAction,
    FraudVerdict,
    Signal,
    SignalPolicy,
    judge,
)
from affiliates.fraud.rules.referrers import banned_domain, referrer_fault
from affiliates.fraud.rules.types import MIN_CLICKS, FraudFacts, SignalEvidence


class ReviewFacts(NamedTuple):
    """All that a sale is reviewed by. Staff have ``released`` signals of its order.

    ``flagged_hold`` is how long staff can look at a flagged sale before it is paid.
    """

    sale: FraudFacts
    policies: Mapping[Signal, SignalPolicy]
    released: frozenset[Signal] = frozenset()
    flagged_hold: timedelta = timedelta()


class SaleReview(NamedTuple):
    """The verdict on a sale, and all findings that call for it.

    ``hold`` is the least time from now on that the commission waits.
    """

    verdict: FraudVerdict
    findings: tuple[FoundSignal, ...]
    hold: timedelta = timedelta()

    def signals_for(self, action: FraudAction) -> tuple[Signal, ...]:
        """The signals, if this is what is to be done."""
        return self.verdict.signals if self.verdict.action is action else ()


NO_REVIEW = SaleReview(NOTHING_FOUND, ())


def review(facts: ReviewFacts) -> SaleReview:
    signals = [
        signal
        for signal in find_signals(facts.sale, policies=facts.policies)
        if signal.signal not in facts.released
        and signal.action is not FraudAction.ALLOW
    ]
    verdict = judge(signals)
    is_flagged = verdict.action is FraudAction.FLAG
    hold = facts.flagged_hold if is_flagged else timedelta()
    return SaleReview(verdict, tuple(signals), hold)


def find_signals(
    facts: FraudFacts, *, policies: Mapping[Signal, SignalPolicy]
) -> tuple[FoundSignal, ...]:
    """Every signal that these facts show, with the action its policy asks for."""
    signals = []
    for signal, look in _SIGNALS.items():
        policy = policies[signal]
        evidence = look(facts, policy.threshold)
        if evidence is not None:
            action = _action(policy, evidence)
            signals.append(
                FoundSignal(signal=signal, action=action, facts=evidence.facts)
            )
    return tuple(signals)


def _action(policy: SignalPolicy, evidence: SignalEvidence) -> FraudAction:
    if evidence.often_innocent:
        return min(policy.action, FraudAction.FLAG, key=lambda row: row.strictness)
    return policy.action


def _self_referral(facts: FraudFacts, _: int) -> SignalEvidence | None:
    people = facts.people
    if people.affiliate_user_id == people.client_id:
        return SignalEvidence({"same": "account"})
    if not people.client_email:
        return None
    if mailbox_of(people.client_email) != mailbox_of(people.affiliate_email):
        return None
    # The addresses themselves stay with the host, where they can be erased.
    return SignalEvidence({"same": "mailbox"})


def _disposable_email(facts: FraudFacts, _: int) -> SignalEvidence | None:
    domain = disposable_domain(facts.people.client_email)
    return None if domain is None else SignalEvidence({"domain": domain})


def _own_browser(facts: FraudFacts, _: int) -> SignalEvidence | None:
    is_own = facts.order is not None and facts.order.click.is_own_browser
    return SignalEvidence({}) if is_own else None


def _same_network(facts: FraudFacts, threshold: int) -> SignalEvidence | None:
    if facts.order is None or not facts.order.network.prefix:
        return None
    network = facts.order.network
    is_own = network.own_orders or network.own_visits
    if not is_own and network.clients < threshold:
        return None
    return SignalEvidence(
        {
            "own_orders": network.own_orders,
            "own_visits": network.own_visits,
            "clients": network.clients,
            "threshold": threshold,
        }
    )


def _velocity(facts: FraudFacts, threshold: int) -> SignalEvidence | None:
    if facts.order is None or facts.order.orders <= threshold:
        return None
    return SignalEvidence({"orders": facts.order.orders, "threshold": threshold})


def _fast_order(facts: FraudFacts, threshold: int) -> SignalEvidence | None:
    age = None if facts.order is None else facts.order.click.age
    if age is None or not 0 <= age.total_seconds() < threshold:
        return None
    return SignalEvidence({"seconds": int(age.total_seconds()), "threshold": threshold})


def _bot_share(facts: FraudFacts, threshold: int) -> SignalEvidence | None:
    if facts.order is None or facts.order.click.total < MIN_CLICKS:
        return None
    clicks = facts.order.click
    if clicks.by_bots * MAX_PERCENT < clicks.total * threshold:
        return None
    return SignalEvidence(
        {"clicks": clicks.total, "by_bots": clicks.by_bots, "threshold": threshold}
    )


def _paid_ads(facts: FraudFacts, _: int) -> SignalEvidence | None:
    if facts.paid_ads_allowed or facts.order is None:
        return None
    mark = paid_ad_mark(facts.order.click.visit_url)
    if mark is None:
        return None
    return SignalEvidence(
        {"parameter": mark.parameter, "written_by": mark.written_by},
        often_innocent=mark.also_unpaid,
    )


def _click_flood(facts: FraudFacts, threshold: int) -> SignalEvidence | None:
    if facts.order is None or facts.order.click.near < threshold:
        return None
    return SignalEvidence({"clicks": facts.order.click.near, "threshold": threshold})


def _cookie_stuffing(facts: FraudFacts, _: int) -> SignalEvidence | None:
    if facts.order is None or not facts.order.click.embedding:
        return None
    return SignalEvidence({"embedding": facts.order.click.embedding})


def _forged_referrer(facts: FraudFacts, _: int) -> SignalEvidence | None:
    fault = facts.order and referrer_fault(facts.order.referrer.url)
    return SignalEvidence({"fault": fault}) if fault else None


def _banned_referrer(facts: FraudFacts, _: int) -> SignalEvidence | None:
    if facts.order is None:
        return None
    domain = banned_domain(facts.order.referrer.url, facts.order.referrer.banned)
    if domain is None:
        return None
    return SignalEvidence({"domain": domain, "by_code": bool(facts.order.code.code)})


def _code_leak(facts: FraudFacts, threshold: int) -> SignalEvidence | None:
    if facts.order is None or facts.order.code.clients < threshold:
        return None
    code = facts.order.code
    return SignalEvidence(
        {"code": code.code, "clients": code.clients, "threshold": threshold}
    )


def _code_without_click(facts: FraudFacts, _: int) -> SignalEvidence | None:
    if facts.order is None or not facts.order.code.code or facts.order.code.has_click:
        return None
    return SignalEvidence({"code": facts.order.code.code})


def _shared_destination(facts: FraudFacts, _: int) -> SignalEvidence | None:
    count = facts.order and facts.order.others.by_destination
    return SignalEvidence({"affiliates": count}) if count else None


def _shared_browser(facts: FraudFacts, _: int) -> SignalEvidence | None:
    count = facts.order and facts.order.others.by_browser
    return SignalEvidence({"affiliates": count}) if count else None


_SIGNALS: Mapping[Signal, Callable[[FraudFacts, int], SignalEvidence | None]] = {
    Signal.SELF_REFERRAL: _self_referral,
    Signal.OWN_BROWSER: _own_browser,
    Signal.SAME_NETWORK: _same_network,
    Signal.DISPOSABLE_EMAIL: _disposable_email,
    Signal.VELOCITY: _velocity,
    Signal.FAST_ORDER: _fast_order,
    Signal.BOT_SHARE: _bot_share,
    Signal.PAID_ADS: _paid_ads,
    Signal.CLICK_FLOOD: _click_flood,
    Signal.COOKIE_STUFFING: _cookie_stuffing,
    Signal.FORGED_REFERRER: _forged_referrer,
    Signal.BANNED_REFERRER: _banned_referrer,
    Signal.CODE_LEAK: _code_leak,
    Signal.CODE_WITHOUT_CLICK: _code_without_click,
    Signal.SHARED_DESTINATION: _shared_destination,
    Signal.SHARED_BROWSER: _shared_browser,
}
