"""What a visit means: the touch the browser carries on, the credit, the destination."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from affiliates.brands.rules import (
    AttributionPolicy,
    AttributionTerms,
    BindingPolicy,
    BrandConfig,
    ClaimPolicy,
    ConsentRule,
    Landing,
    PrivacyControl,
)
from affiliates.core.redirects import RedirectReason
from affiliates.core.urls import parse_http_url
from affiliates.program.rules import AffiliateStatus, LinkFacts
from affiliates.visits.consent.rules import Consent
from affiliates.visits.cookie import NO_AFFILIATE, ReferralCookie
from affiliates.visits.decision import (
    NamedLink,
    Recognition,
    TouchReason,
    VisitDecision,
    VisitDestination,
    VisitInputs,
    VisitRedirect,
    choose_redirect,
    decide_visit,
)
from affiliates.visits.rules import BotSign, LinkCredit, TouchSource, is_recent
from tests.affiliates.core.entries import entry

HOME = "https://shop.example.com/"
LONG = "a" * 4000
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LAST, FIRST = AttributionPolicy.LAST_CLICK, AttributionPolicy.FIRST_CLICK
HELD = ReferralCookie(
    visitor_id=UUID(int=1),
    click_id=UUID(int=2),
    affiliate_id=1,
    issued_at=NOW - timedelta(days=80),
    expires_at=NOW + timedelta(days=10),
    external_visitor_id="old",
)
CLICK = ReferralCookie(
    visitor_id=UUID(int=1),
    click_id=UUID(int=3),
    affiliate_id=2,
    issued_at=NOW,
    expires_at=NOW + timedelta(days=90),
    external_visitor_id="old",
)
LIVES_ON = HELD._replace(expires_at=CLICK.expires_at)
LINK = LinkFacts(
    affiliate_id=2, status=AffiliateStatus.ACTIVE, link_id=5, target_url="/plans"
)
NAMED = NamedLink(LINK, TouchSource.PATH)
SUSPENDED = NamedLink(replace(LINK, status=AffiliateStatus.SUSPENDED), TouchSource.PATH)
CODE = NamedLink(replace(LINK, link_id=None, target_url=""), TouchSource.CODE)
RECOGNISED = Recognition(
    integration_id=7, affiliate="one", visitor_ref="new", is_notified=True
)
REFUSED = {"consent": Consent.DENIED, "has_person": False, "held": None}
URL = parse_http_url("https://shop.example.com/page?x=1")
BRAND = BrandConfig(
    id=1,
    name="Shop",
    default_redirect_url=HOME,
    landing=Landing.STAY,
    link_parameter="ref",
    colour="",
    terms=AttributionTerms(
        policy=LAST,
        claim_policy=ClaimPolicy.LATEST,
        window=timedelta(days=90),
        own_program=True,
        existing_clients_earn=False,
        bound_clients=BindingPolicy.KEEP,
        stand_down=timedelta(0),
        coupon_over_link=False,
    ),
    policy_version_id=None,
    policy_version=None,
    cookie_lifetime=timedelta(days=90),
    consent=ConsentRule.NOT_NEEDED,
    privacy_control=PrivacyControl.NOT_CONSIDERED,
    require_https=True,
    domains=(
        entry("shop.example.com", redirect_target=False),
        entry("example.org", subdomains=True),
        entry("127.0.0.1:8000"),
    ),
)


def decide(url=URL, *, policy=LAST, own_program=True, **facts) -> VisitDecision:
    inputs = VisitInputs(
        **{
            "named": NAMED,
            "recognition": None,
            "integration_parameters": (),
            "held": HELD,
            "is_repeat": False,
            "bot_signs": (),
            **facts,
        }
    )
    return decide_visit(
        url,
        inputs,
        brand=replace(
            BRAND, terms=replace(BRAND.terms, policy=policy, own_program=own_program)
        ),
        visitor_id=UUID(int=1),
        click_id=UUID(int=3),
        now=NOW,
    )


@pytest.mark.parametrize(
    ("_case", "facts", "touch", "reason"),
    [
        (
            "first visit",
            {"held": None},
            CLICK._replace(external_visitor_id=""),
            TouchReason.NEW,
        ),
        ("last click wins", {}, CLICK, TouchReason.NEW),
        ("repeat", {"is_repeat": True}, HELD, TouchReason.REPEAT),
        ("nobody named", {"named": None}, HELD, TouchReason.NOBODY_NAMED),
        (
            "nobody named, nothing held",
            {"named": None, "held": None},
            None,
            TouchReason.NOBODY_NAMED,
        ),
        ("no credit", {"named": SUSPENDED}, HELD, TouchReason.NO_CREDIT),
        (
            "no credit, nothing held",
            {"own_program": False, "held": None},
            None,
            TouchReason.NO_CREDIT,
        ),
        ("robot", {"bot_signs": (BotSign.USER_AGENT,)}, HELD, TouchReason.NO_PERSON),
        ("refusal", REFUSED, None, TouchReason.REFUSED),
        (
            "refusal where nobody is named",
            {**REFUSED, "named": None},
            None,
            TouchReason.REFUSED,
        ),
        (
            "no consent yet",
            {**REFUSED, "consent": Consent.UNKNOWN},
            None,
            TouchReason.NO_CONSENT,
        ),
        (
            "first click, first visit",
            {"policy": FIRST, "held": None},
            CLICK._replace(external_visitor_id=""),
            TouchReason.NEW,
        ),
        (
            "first click lives as long as the new one",
            {"policy": FIRST},
            LIVES_ON,
            TouchReason.FIRST_CLICK,
        ),
        (
            "first click, repeat",
            {"policy": FIRST, "is_repeat": True},
            HELD,
            TouchReason.REPEAT,
        ),
        (
            "the integration's alone",
            {"named": None, "recognition": RECOGNISED},
            CLICK._replace(affiliate_id=NO_AFFILIATE, external_visitor_id="new"),
            TouchReason.NEW,
        ),
        (
            "the integration's, beside a suspended affiliate",
            {"named": SUSPENDED, "recognition": RECOGNISED},
            CLICK._replace(external_visitor_id="new"),
            TouchReason.NEW,
        ),
        (
            "the integration's identifier goes along with a repeat",
            {"recognition": RECOGNISED, "is_repeat": True},
            HELD._replace(external_visitor_id="new"),
            TouchReason.REPEAT,
        ),
        (
            "and with the first click",
            {"recognition": RECOGNISED, "policy": FIRST},
            LIVES_ON._replace(external_visitor_id="new"),
            TouchReason.FIRST_CLICK,
        ),
        (
            "and not with a prefetch",
            {"recognition": RECOGNISED, "bot_signs": (BotSign.PREFETCH,)},
            HELD,
            TouchReason.NO_PERSON,
        ),
    ],
)
def test_touch_and_its_reason(_case, facts, touch, reason):
    decision = decide(**facts)

    assert (decision.touch, decision.touch_reason) == (touch, reason)


@pytest.mark.parametrize(
    ("_case", "facts", "is_recorded"),
    [
        ("nobody named", {"named": None}, False),
        ("a link", {}, True),
        ("the integration", {"named": None, "recognition": RECOGNISED}, True),
        ("no credit", {"named": SUSPENDED}, True),
        ("robot", {"bot_signs": (BotSign.USER_AGENT,)}, True),
        ("refusal", REFUSED, True),
        ("refusal where nobody is named", {**REFUSED, "named": None}, False),
    ],
)
def test_click_is_recorded_when_anybody_is_named(_case, facts, is_recorded):
    assert (decide(**facts).click is not None) is is_recorded


@pytest.mark.parametrize(
    ("_case", "facts", "credit"),
    [
        ("active", {}, LinkCredit.COUNTS),
        ("suspended", {"named": SUSPENDED}, LinkCredit.NOT_ACTIVE),
        (
            "pending",
            {
                "named": NamedLink(
                    replace(LINK, status=AffiliateStatus.PENDING), TouchSource.CODE
                )
            },
            LinkCredit.NOT_ACTIVE,
        ),
        ("program off", {"own_program": False}, LinkCredit.PROGRAM_OFF),
        ("no link", {"named": None}, LinkCredit.NO_LINK),
    ],
)
def test_credit_of_the_link(_case, facts, credit):
    assert decide(**facts).link_credit is credit


@pytest.mark.parametrize(
    ("_case", "url", "named", "destination", "redirect_url"),
    [
        ("asked", "?redirect=/a", NAMED, VisitDestination.REDIRECT, "/a"),
        ("refused", "?redirect=//a.b", NAMED, VisitDestination.REDIRECT_REFUSED, "/"),
        ("target", "", NAMED, VisitDestination.LINK_TARGET, "/plans"),
        (
            "target elsewhere",
            "p",
            NamedLink(replace(LINK, target_url="https://a.b/"), TouchSource.PATH),
            VisitDestination.LINK_TARGET_REFUSED,
            "/",
        ),
        (
            "target is a link",
            "p",
            NamedLink(replace(LINK, target_url="/?ref=x"), TouchSource.PATH),
            VisitDestination.LINK_TARGET_REFUSED,
            "/",
        ),
        ("stay", "p?ref=x&y=1", CODE, VisitDestination.STAY, "/p?y=1"),
        ("a link's own page", f"aff/{'0' * 40}", CODE, VisitDestination.DEFAULT, "/"),
        ("nobody", "p?ref=x&y=1", None, VisitDestination.PAGE, "/p?ref=x&y=1#"),
        ("an unknown link", f"aff/{'0' * 40}", None, VisitDestination.DEFAULT, "/"),
        ("half a link", "aff/0000", None, VisitDestination.DEFAULT, "/"),
    ],
)
def test_destination_and_its_reason(_case, url, named, destination, redirect_url):
    decision = decide(parse_http_url(f"https://shop.example.com/{url}"), named=named)

    assert decision.redirect.destination is destination
    assert (
        decision.redirect.url.removeprefix("https://shop.example.com") == redirect_url
    )


@pytest.mark.parametrize(
    ("_case", "landing", "page", "answer"),
    [
        ("home", Landing.DEFAULT_URL, "/", "/#"),
        ("home with nothing after the mark", Landing.DEFAULT_URL, "/#", "/#"),
        ("an anchor is another address", Landing.DEFAULT_URL, "/#top", "/"),
        ("so is a parameter", Landing.DEFAULT_URL, "/#ref=x", "/"),
        ("another page leads home", Landing.DEFAULT_URL, "/plans", "/"),
        ("home in another spelling", Landing.DEFAULT_URL, "/?a=1", "/"),
        ("kept page", Landing.STAY, "/plans?a=1", "/plans?a=1#"),
        ("kept page at an anchor", Landing.STAY, "/plans#top", "/plans#top"),
        ("kept page loses a parameter", Landing.STAY, "/plans?ref=x", "/plans"),
    ],
)
def test_page_that_is_led_to_itself_gets_an_empty_fragment(
    _case, landing, page, answer
):
    redirect = landing_of(f"https://shop.example.com{page}", landing, is_named=True)

    assert redirect.url == f"https://shop.example.com{answer}"


@pytest.mark.parametrize("landing", Landing)
@pytest.mark.parametrize(
    ("_case", "page", "answer"),
    [
        ("home", "https://shop.example.com", "https://shop.example.com/#"),
        ("deep", "https://shop.example.com/a?b=c", "https://shop.example.com/a?b=c#"),
        ("an anchor", "https://shop.example.com/a#b", "https://shop.example.com/a#b"),
        ("no anchor", "https://shop.example.com/a#", "https://shop.example.com/a#"),
        (
            "long",
            f"https://shop.example.com/{LONG}",
            f"https://shop.example.com/{LONG}#",
        ),
        ("another domain", "https://example.org/a", "https://example.org/a#"),
        ("below it", "https://www.example.org/a", "https://www.example.org/a#"),
        ("development", "https://127.0.0.1:8000/a", "https://127.0.0.1:8000/a#"),
        ("a stranger's", "https://evil.example/a", HOME),
        ("below the shop", "https://a.shop.example.com/", HOME),
        (
            "another port",
            "https://shop.example.com:8443/",
            "https://shop.example.com:8443/#",
        ),
        ("http", "http://shop.example.com/a", HOME),
        ("a password", "https://a:b@shop.example.com/", HOME),
        ("odd host", "https://a_b.example.org/", HOME),
    ],
)
def test_visit_that_names_nobody_gets_its_own_page(_case, page, answer, landing):
    assert landing_of(page, landing, is_named=False).url == answer


def test_page_is_kept_on_the_brands_domains_alone():
    redirect = landing_of("https://evil.example/?ref=x", Landing.STAY, is_named=True)

    assert (redirect.url, redirect.destination) == (HOME, VisitDestination.DEFAULT)


def landing_of(page, landing, *, is_named) -> VisitRedirect:
    return choose_redirect(
        parse_http_url(page),
        brand=replace(BRAND, landing=landing),
        is_named=is_named,
        link_target="",
        integration_parameters=(),
    )


def test_requested_page_is_answered_as_it_was_asked_for():
    url = parse_http_url("https://shop.example.com/#redirect=/")

    assert decide(url).redirect.url == "https://shop.example.com/"


def test_guards_reason_is_kept():
    url = parse_http_url("https://shop.example.com/?redirect=https://evil.example/")

    assert decide(url).redirect.guard.reason is RedirectReason.NOT_ON_BRAND_DOMAINS


@pytest.mark.parametrize(
    ("_case", "age", "recent"),
    [("just now", 0, True), ("29:59 ago", 1799, True), ("30:00 ago", 1800, False)],
)
def test_recent(_case, age, recent):
    held = HELD._replace(issued_at=NOW - timedelta(seconds=age))

    assert is_recent(held, now=NOW) is recent
