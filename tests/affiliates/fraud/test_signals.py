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
    CodeFacts,
    FraudFacts,
    NetworkFacts,
    OtherAffiliates,
    PeopleFacts,
    ReferrerFacts,
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


def referrer(url, *banned):
    return facts(referrer=ReferrerFacts(url=url, banned=frozenset(banned)))


def code(**known):
    return facts(code=CodeFacts(**{"code": "ADA10", "has_click": True, **known}))


def others(**known):
    return facts(others=OtherAffiliates(**known))


def found(known, policies=DEFAULT_POLICIES):
    return [(one.signal, one.action) for one in find_signals(known, policies=policies)]


SELF = [(Signal.SELF_REFERRAL, FraudAction.HOLD)]
DISPOSABLE = [(Signal.DISPOSABLE_EMAIL, FraudAction.FLAG)]
OWN_BROWSER = [(Signal.OWN_BROWSER, FraudAction.HOLD)]
SAME_NETWORK = [(Signal.SAME_NETWORK, FraudAction.FLAG)]
VELOCITY = [(Signal.VELOCITY, FraudAction.FLAG)]
FAST = [(Signal.FAST_ORDER, FraudAction.FLAG)]
BOTS = [(Signal.BOT_SHARE, FraudAction.FLAG)]
ADS = [(Signal.PAID_ADS, FraudAction.HOLD)]
FLOOD = [(Signal.CLICK_FLOOD, FraudAction.FLAG)]
STUFFING = [(Signal.COOKIE_STUFFING, FraudAction.FLAG)]
FORGED = [(Signal.FORGED_REFERRER, FraudAction.FLAG)]
BANNED = [(Signal.BANNED_REFERRER, FraudAction.HOLD)]
LEAK = [(Signal.CODE_LEAK, FraudAction.FLAG)]
NO_CLICK = [(Signal.CODE_WITHOUT_CLICK, FraudAction.ALLOW)]
DESTINATION = [(Signal.SHARED_DESTINATION, FraudAction.FLAG)]
ONE_BROWSER = [(Signal.SHARED_BROWSER, FraudAction.FLAG)]
ADS_FLAGGED = [(Signal.PAID_ADS, FraudAction.FLAG)]


@each(
    ("_case", "known", "expected"),
    [
        ("an ordinary sale", facts(), []),
        ("one account", facts(of=people(client_id="1")), SELF),
        ("one address", facts(of=people("partner@example.com")), SELF),
        ("capitals", facts(of=people("Partner@EXAMPLE.com")), SELF),
        ("a tag", facts(of=people("partner+shop@example.com")), SELF),
        ("quotes", facts(of=people('"partner"@example.com')), SELF),
        (
            "quotes at gmail",
            facts(of=people('"a.da"@gmail.com', "ada@gmail.com")),
            SELF,
        ),
        ("own browser", click(is_own_browser=True), OWN_BROWSER),
        ("an own visit of one network", network(own_visits=1), SAME_NETWORK),
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
        ("Google, without its click id", ad("?gad_source=1"), ADS),
        ("Snapchat", ad("?ScCid=x"), ADS),
        ("Snapchat, in small letters", ad("?sccid=x"), ADS),
        ("Reddit", ad("?rdt_cid=x"), ADS),
        ("Yandex", ad("?yclid=1"), ADS),
        ("Taboola", ad("?tblci=x"), ADS),
        ("Outbrain", ad("?dicbo=v2-x"), ADS),
        ("Quora", ad("?qclid=x"), ADS),
        ("a social network's clicks", ad("?utm_medium=social-cpc"), ADS),
        ("cost per lead", ad("?utm_medium=cpl"), ADS),
        ("retargeting", ad("?UTM_Medium=Retargeting"), ADS),
        ("display", ad("?utm_medium=display"), ADS),
        ("social, paid", ad("?utm_medium=social_paid"), ADS),
        ("not paid", ad("?utm_medium=unpaid"), []),
        ("a panel", ad("?utm_medium=cpanel"), []),
        ("an affiliate's banner", ad("?utm_medium=banner"), []),
        ("displayed", ad("?utm_medium=displayed-name"), []),
        ("in the fragment", ad("#/plans?gclid=x"), ADS),
        ("empty", ad("?gclid="), []),
        ("Facebook marks any post", ad("?fbclid=x"), ADS_FLAGGED),
        ("Facebook, said to be paid", ad("?fbclid=x&utm_medium=paid_social"), ADS),
        ("cost per click", ad("?utm_medium=CPC"), ADS),
        ("another medium", ad("?utm_medium=email"), []),
        ("a word that only begins alike", ad("?utm_medium=cpcx"), []),
        ("a value of another name", ad("?q=gclid"), []),
        ("the click is gone", click(visit_url=""), []),
        ("clicks, just not enough", click(near=29), []),
        ("clicks, just enough", click(near=30), FLOOD),
        ("an opened page", click(embedding=""), []),
        ("a frame", click(embedding="frame"), STUFFING),
        ("an image", click(embedding="part"), STUFFING),
        ("no referrer", referrer(""), []),
        ("a page", referrer("https://blog.example.org/post?a=1&b=%20"), []),
        ("a site", referrer("https://blog.example.org/"), []),
        ("a port", referrer("http://localhost:8000/a"), []),
        ("an app", referrer("android-app://com.example/"), []),
        ("no address", referrer("a friend"), []),
        ("a fragment", referrer("https://blog.example.org/post#top"), FORGED),
        ("an empty fragment", referrer("https://blog.example.org/#"), FORGED),
        ("a user name", referrer("https://ada@blog.example.org/"), FORGED),
        ("no slash", referrer("https://blog.example.org"), FORGED),
        ("capitals in the host", referrer("https://Blog.example.org/"), FORGED),
        ("capitals in the path", referrer("https://blog.example.org/Post"), []),
        ("the usual port", referrer("https://blog.example.org:443/"), FORGED),
        ("a space", referrer("https://blog.example.org/a b"), FORGED),
        ("not ASCII", referrer("https://blog.example.org/\xe9"), FORGED),
        ("a backslash", referrer("https://blog.example.org/a\\b"), FORGED),
        (
            "perhaps not whole",
            referrer("https://a.example/".ljust(2047, "x") + "#"),
            [],
        ),
        ("just whole", referrer("https://a.example/".ljust(2046, "x") + "#"), FORGED),
        ("banned", referrer("https://a.example/x", "a.example"), BANNED),
        ("below", referrer("https://b.c.a.example/", "z.example", "a.example"), BANNED),
        ("ends alike", referrer("https://ba.example/", "a.example"), []),
        ("above", referrer("https://a.example/", "b.a.example"), []),
        (
            "banned in its path",
            referrer("https://b.example/a.example", "a.example"),
            [],
        ),
        ("a banned app", referrer("android-app://a.example/", "a.example"), []),
        ("no referrer, some banned", referrer("", "a.example"), []),
        ("clients of a code, just not enough", code(clients=4), []),
        ("clients of a code, just enough", code(clients=5), LEAK),
        ("a code with a click", code(has_click=True), []),
        ("a code without a click", code(has_click=False), NO_CLICK),
        ("neither code nor click", code(code="", has_click=False), []),
        ("the destination of two", others(by_destination=1), DESTINATION),
        ("the browser of two", others(by_browser=1), ONE_BROWSER),
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
                near=30,
                embedding="frame",
                is_own_browser=True,
            ),
            referrer=ReferrerFacts(
                url="https://a.example/#", banned=frozenset({"a.example"})
            ),
            code=CodeFacts(code="ADA10", clients=5),
            others=OtherAffiliates(by_destination=1, by_browser=1),
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
        (Signal.CLICK_FLOOD, 2, click(near=1), []),
        (Signal.CLICK_FLOOD, 2, click(near=2), FLOOD),
        (Signal.CODE_LEAK, 2, code(clients=1), []),
        (Signal.CODE_LEAK, 2, code(clients=2), LEAK),
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
            {**same, "own_orders": 1, "own_visits": 1},
            "The affiliate ordered from the client's network within 24 hours of this "
            "order.",
        ),
        (
            Signal.SAME_NETWORK,
            {**same, "own_orders": 0, "own_visits": 1},
            "A browser of the affiliate's opened links from the client's network within "
            "24 hours of this order.",
        ),
        (
            Signal.OWN_BROWSER,
            {},
            "The client clicked in a browser in which the affiliate registered or "
            "ordered as a client.",
        ),
        (
            Signal.SAME_NETWORK,
            {**same, "own_orders": 0, "own_visits": 0},
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
        (
            Signal.CLICK_FLOOD,
            {"clicks": 40, "threshold": 30},
            "Within 10 minutes of the winning click, the affiliate had at least 40 clicks "
            "from its network; 30 or more are a signal.",
        ),
        (
            Signal.COOKIE_STUFFING,
            {"embedding": "frame"},
            "The winning click was made in a frame of another site's page.",
        ),
        (
            Signal.COOKIE_STUFFING,
            {"embedding": "part"},
            "The winning click was not an opened page: another site loaded it as an "
            "image, a script or the like.",
        ),
        (
            Signal.FORGED_REFERRER,
            {"fault": "fragment"},
            "The click states a referrer with a part after #, which browsers never send.",
        ),
        (
            Signal.FORGED_REFERRER,
            {"fault": "credentials"},
            "The click states a referrer with a user name, which browsers never send.",
        ),
        (
            Signal.FORGED_REFERRER,
            {"fault": "spelling"},
            "The click states a referrer that is not spelt as browsers spell addresses.",
        ),
        (
            Signal.BANNED_REFERRER,
            {"domain": "a.example", "by_code": False},
            "The winning click came from a.example, which the brand has banned.",
        ),
        (
            Signal.BANNED_REFERRER,
            {"domain": "a.example", "by_code": True},
            "A code won the order, and the client's last click came from a.example, which "
            "the brand has banned.",
        ),
        (
            Signal.CODE_LEAK,
            {"code": "ADA10", "clients": 7, "threshold": 5},
            "At least 7 different clients used the code ADA10 in the 24 hours up to this "
            "order without a click; 5 or more are a signal.",
        ),
        (
            Signal.CODE_WITHOUT_CLICK,
            {"code": "ADA10"},
            "The order was won by the code ADA10, and no click of the client is known.",
        ),
        (
            Signal.SHARED_DESTINATION,
            {"affiliates": 2},
            "Other affiliates of the brand whose payout destination is, or was, this "
            "affiliate's: 2.",
        ),
        (
            Signal.SHARED_BROWSER,
            {"affiliates": 1},
            "Other affiliates of the brand whose client account was registered in the "
            "same browser as this affiliate's: 1.",
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
        (Signal.CLICK_FLOOD, 2, None),
        (
            Signal.CLICK_FLOOD,
            1,
            "Enter 2 or more: the winning click itself is counted.",
        ),
        (Signal.CODE_LEAK, 2, None),
        (
            Signal.CODE_LEAK,
            1,
            "Enter 2 or more: the order's own client is counted.",
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
