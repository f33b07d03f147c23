"""Every sign of fraud with the facts on both sides of its edge."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.fraud.rules.messages import evidence_text, signals_text
from affiliates.fraud.rules.policy import (
    DEFAULT_POLICIES,
    NOTHING_FOUND,
    FraudAction,
    FraudVerdict,
    Signal,
    SignalPolicy,
    judge,
    threshold_fault,
)
from affiliates.fraud.rules.signals import find_signals
from affiliates.fraud.rules.types import (
    ClickFacts,
    FraudFacts,
    NetworkFacts,
    PeopleFacts,
    ReviewedOrder,
)
from tests.cases import each

SHOP = "https://shop.example.com/plans"
NETWORK = "203.0.113.0/24"


def people(client="client@example.com", affiliate="partner@example.com", **ids):
    return PeopleFacts(
        affiliate_user_id=ids.get("affiliate_id", "1"),
        affiliate_email=affiliate,
        client_id=ids.get("client_id", "2"),
        client_email=client,
    )


def facts(*, paid_ads_allowed=True, of=None, is_renewal=False, **order):
    return FraudFacts(
        people=of or people(),
        order=None if is_renewal else ReviewedOrder(**order),
        paid_ads_allowed=paid_ads_allowed,
    )


def network(**known):
    return facts(network=NetworkFacts(**{"prefix": NETWORK, **known}))


def click(**known):
    return facts(click=ClickFacts(**known))


def ad(query, *, paid_ads_allowed=False):
    return facts(
        click=ClickFacts(visit_url=f"{SHOP}{query}"), paid_ads_allowed=paid_ads_allowed
    )


def found(known, policies=DEFAULT_POLICIES):
    return [(one.signal, one.action) for one in find_signals(known, policies=policies)]


SELF = [(Signal.SELF_REFERRAL, FraudAction.HOLD)]
DISPOSABLE = [(Signal.DISPOSABLE_EMAIL, FraudAction.FLAG)]
SAME_NETWORK = [(Signal.SAME_NETWORK, FraudAction.FLAG)]
VELOCITY = [(Signal.VELOCITY, FraudAction.FLAG)]
FAST = [(Signal.FAST_ORDER, FraudAction.FLAG)]
BOTS = [(Signal.BOT_SHARE, FraudAction.FLAG)]
ADS = [(Signal.PAID_ADS, FraudAction.HOLD)]
ADS_FLAGGED = [(Signal.PAID_ADS, FraudAction.FLAG)]


@each(
    ("_case", "known", "expected"),
    [
        ("an ordinary sale", facts(), []),
        ("one account", facts(of=people(client_id="1")), SELF),
        ("one address", facts(of=people("partner@example.com")), SELF),
        ("capitals", facts(of=people("Partner@EXAMPLE.com")), SELF),
        ("a tag", facts(of=people("partner+shop@example.com")), SELF),
        ("dots at gmail", facts(of=people("a.d.a@gmail.com", "ada@gmail.com")), SELF),
        (
            "googlemail is gmail",
            facts(of=people("ada+x@googlemail.com", "a.da@gmail.com")),
            SELF,
        ),
        (
            "dots elsewhere tell people apart",
            facts(of=people("a.da@example.com", "ada@example.com")),
            [],
        ),
        (
            "one name at two domains",
            facts(of=people("ada@example.com", "ada@example.org")),
            [],
        ),
        ("two of a company", facts(of=people("a@firm.com", "b@firm.com")), []),
        ("a guest without an address", facts(of=people("", "")), []),
        ("throw-away", facts(of=people("x@mailinator.com")), DISPOSABLE),
        ("throw-away, capitals", facts(of=people("x@MAILINATOR.com")), DISPOSABLE),
        ("below a throw-away", facts(of=people("x@a.b.mailinator.com")), DISPOSABLE),
        ("a name that ends alike", facts(of=people("x@grandmailinator.com")), []),
        ("a throw-away below", facts(of=people("x@mailinator.com.example.com")), []),
        ("no address at all", facts(of=people("mailinator.com")), []),
        ("own order from the network", network(own_orders=1, clients=1), SAME_NETWORK),
        ("two clients of a network", network(clients=2), []),
        ("three clients of a network", network(clients=3), SAME_NETWORK),
        ("network not known", network(prefix="", own_orders=9, clients=9), []),
        ("as many orders as usual", facts(orders=25), []),
        ("one more", facts(orders=26), VELOCITY),
        ("30 seconds", click(age=timedelta(seconds=30)), []),
        ("just below", click(age=timedelta(seconds=29, milliseconds=999)), FAST),
        ("at once", click(age=timedelta(0)), FAST),
        ("the clock was set back", click(age=timedelta(seconds=-5)), []),
        ("no click", click(age=None), []),
        ("too few clicks", click(total=19, by_bots=19), []),
        ("bots, just enough", click(total=20, by_bots=16), BOTS),
        ("bots, just not enough", click(total=20, by_bots=15), []),
        ("a third are bots", click(total=999, by_bots=333), []),
        ("Google", ad("?gclid=x"), ADS),
        ("Google, allowed", ad("?gclid=x", paid_ads_allowed=True), []),
        ("Google on iOS", ad("?gbraid=x"), ADS),
        ("Google in an app", ad("?ref=partner&wbraid=x"), ADS),
        ("Google display", ad("?dclid=x"), ADS),
        ("Microsoft", ad("?msclkid=x"), ADS),
        ("TikTok", ad("?ttclid=x"), ADS),
        ("X", ad("?twclid=x"), ADS),
        ("LinkedIn", ad("?li_fat_id=x"), ADS),
        ("in the fragment", ad("#/plans?gclid=x"), ADS),
        ("empty", ad("?gclid="), []),
        ("Facebook marks any post", ad("?fbclid=x"), ADS_FLAGGED),
        ("Facebook, said to be paid", ad("?fbclid=x&utm_medium=paid_social"), ADS),
        ("cost per click", ad("?utm_medium=CPC"), ADS),
        ("another medium", ad("?utm_medium=email"), []),
        ("a word that only begins alike", ad("?utm_medium=cpcx"), []),
        ("a value of another name", ad("?q=gclid"), []),
        ("the click is gone", click(visit_url=""), []),
        ("a renewal", facts(is_renewal=True, paid_ads_allowed=False), []),
        (
            "a renewal of one's own",
            facts(is_renewal=True, of=people(client_id="1")),
            SELF,
        ),
    ],
)
def test_finds_exactly_the_signs_that_are_there(known, expected):
    assert found(known) == expected


@each("action", list(FraudAction))
@each("signal", list(Signal))
def test_does_what_the_policy_says(signal, action):
    policies = {
        **DEFAULT_POLICIES,
        signal: SignalPolicy(
            action=action, threshold=DEFAULT_POLICIES[signal].threshold
        ),
    }
    every_sign = FraudFacts(
        people=people("x@mailinator.com", client_id="1"),
        order=ReviewedOrder(
            orders=26,
            network=NetworkFacts(prefix=NETWORK, own_orders=1, clients=1),
            click=ClickFacts(
                age=timedelta(seconds=1),
                visit_url=f"{SHOP}?gclid=x",
                total=20,
                by_bots=20,
            ),
        ),
        paid_ads_allowed=False,
    )

    actions = dict(found(every_sign, policies))

    assert list(actions) == list(Signal)
    assert actions[signal] is action


@pytest.mark.parametrize(
    ("signal", "threshold", "known", "expected"),
    [
        (Signal.SAME_NETWORK, 5, network(clients=4), []),
        (Signal.SAME_NETWORK, 5, network(clients=5), SAME_NETWORK),
        (Signal.VELOCITY, 0, facts(orders=1), VELOCITY),
        (Signal.FAST_ORDER, 0, click(age=timedelta(0)), []),
        (Signal.BOT_SHARE, 100, click(total=1000, by_bots=999), []),
        (Signal.BOT_SHARE, 100, click(total=1000, by_bots=1000), BOTS),
    ],
)
def test_counts_to_the_threshold_of_the_brand(signal, threshold, known, expected):
    policy = SignalPolicy(action=FraudAction.FLAG, threshold=threshold)

    assert found(known, {**DEFAULT_POLICIES, signal: policy}) == expected


def test_evidence_is_plain_and_holds_no_address():
    known = facts(of=people("a.da@gmail.com", "ada@gmail.com"))

    (finding,) = find_signals(known, policies=DEFAULT_POLICIES)

    assert finding.to_json() == {
        "signal": "self_referral",
        "action": "hold",
        "facts": {"same": "mailbox"},
    }


def test_every_signal_has_a_sentence_for_its_facts():
    same = {"clients": 3, "threshold": 3}
    cases = [
        (
            Signal.SELF_REFERRAL,
            {"same": "account"},
            "The affiliate and the client are one account.",
        ),
        (
            Signal.SELF_REFERRAL,
            {"same": "mailbox"},
            "The client's e-mail address leads to the affiliate's mailbox.",
        ),
        (
            Signal.DISPOSABLE_EMAIL,
            {"domain": "mailinator.com"},
            "The client's e-mail address is at mailinator.com, which gives out "
            "throw-away addresses.",
        ),
        (
            Signal.SAME_NETWORK,
            {**same, "own_orders": 1},
            "The affiliate ordered from the client's network within 24 hours of this "
            "order.",
        ),
        (
            Signal.SAME_NETWORK,
            {**same, "own_orders": 0},
            "At least 3 different clients of the affiliate ordered from one network "
            "within 24 hours; 3 or more are a signal.",
        ),
        (
            Signal.VELOCITY,
            {"orders": 26, "threshold": 25},
            "The affiliate had at least 26 orders in the 24 hours up to this one; more "
            "than 25 are a signal.",
        ),
        (
            Signal.FAST_ORDER,
            {"seconds": 4, "threshold": 30},
            "The order was converted 4 seconds after the click; less than 30 are a "
            "signal.",
        ),
        (
            Signal.BOT_SHARE,
            {"clicks": 200, "by_bots": 170, "threshold": 80},
            "Of the affiliate's last 200 clicks, none older than 30 days, 170 were not "
            "made by people; 80 percent or more are a signal.",
        ),
        (
            Signal.PAID_ADS,
            {"parameter": "gclid", "written_by": "Google Ads"},
            "The winning click's address holds gclid, written by Google Ads, and the "
            "affiliate's plan forbids paid advertising.",
        ),
    ]

    told = [evidence_text(signal, facts) for signal, facts, _ in cases]

    assert told == [sentence for _, _, sentence in cases]
    assert {signal for signal, _, _ in cases} == set(Signal)


def test_several_signals_are_told_by_the_first():
    assert signals_text(["paid_ads", "velocity", "fast_order"]) == (
        "The click came from paid advertising the plan forbids (2 more signals)"
    )


def test_the_strictest_action_wins():
    known = FraudFacts(
        people=people("x@mailinator.com"),
        order=ReviewedOrder(orders=26, click=ClickFacts(visit_url=f"{SHOP}?gclid=x")),
        paid_ads_allowed=False,
    )

    verdict = judge(find_signals(known, policies=DEFAULT_POLICIES))

    assert verdict == FraudVerdict(
        action=FraudAction.HOLD,
        signals=(Signal.PAID_ADS, Signal.DISPOSABLE_EMAIL, Signal.VELOCITY),
    )


def test_signs_that_are_ignored_are_nothing():
    ignore = SignalPolicy(action=FraudAction.ALLOW)
    policies = {**DEFAULT_POLICIES, Signal.DISPOSABLE_EMAIL: ignore}

    findings = find_signals(facts(of=people("x@mailinator.com")), policies=policies)

    assert judge(findings) == NOTHING_FOUND
    assert judge(()) == NOTHING_FOUND


@pytest.mark.parametrize(
    ("signal", "threshold", "fault"),
    [
        (Signal.VELOCITY, None, None),
        (Signal.VELOCITY, 0, None),
        (Signal.BOT_SHARE, 100, None),
        (Signal.BOT_SHARE, 101, "Enter a percentage from 1 to 100."),
        (Signal.BOT_SHARE, 0, "Enter a percentage from 1 to 100."),
        (Signal.SAME_NETWORK, 2, None),
        (
            Signal.SAME_NETWORK,
            1,
            "Enter 2 or more: one client alone shares no network.",
        ),
        (
            Signal.SELF_REFERRAL,
            1,
            "This signal counts nothing: leave the threshold empty.",
        ),
    ],
)
def test_a_threshold_fits_its_signal(signal, threshold, fault):
    assert threshold_fault(signal, threshold) == fault
