"""What a visit may do by the consent that it reports, and what a brand makes of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from affiliates.brands.rules import ConsentRule, PrivacyControl
from affiliates.visits.consent.rules import (
    Consent,
    awaits_consent,
    cookie_lifetime,
    known_consent,
    without_person,
)
from tests.affiliates.visits.test_decision import BRAND
from tests.cases import each

NOT_ASKED, UNKNOWN, GRANTED, DENIED, _ = Consent
NOT_NEEDED, SESSION_ONLY, REQUIRED = ConsentRule


@pytest.mark.parametrize(
    ("rule", "reported", "known", "has_person"),
    [
        (NOT_NEEDED, NOT_ASKED, NOT_ASKED, True),
        (NOT_NEEDED, UNKNOWN, UNKNOWN, True),
        (NOT_NEEDED, GRANTED, GRANTED, True),
        (NOT_NEEDED, DENIED, DENIED, False),
        (SESSION_ONLY, NOT_ASKED, NOT_ASKED, True),
        (SESSION_ONLY, UNKNOWN, UNKNOWN, True),
        (SESSION_ONLY, GRANTED, GRANTED, True),
        (SESSION_ONLY, DENIED, DENIED, False),
        (REQUIRED, NOT_ASKED, UNKNOWN, False),
        (REQUIRED, UNKNOWN, UNKNOWN, False),
        (REQUIRED, GRANTED, GRANTED, True),
        (REQUIRED, DENIED, DENIED, False),
    ],
)
@pytest.mark.parametrize("heeds_signal", [False, True])
@pytest.mark.parametrize("opts_out", [False, True])
def test_who_may_be_recognised(
    rule, reported, known, has_person, heeds_signal, opts_out
):
    signal = PrivacyControl.REFUSAL if heeds_signal else PrivacyControl.NOT_CONSIDERED
    brand = replace(BRAND, consent=rule, privacy_control=signal)

    found = known_consent(reported, opts_out=opts_out, brand=brand)

    is_refused = heeds_signal and opts_out
    assert found == ((DENIED, False) if is_refused else (known, has_person))


@pytest.mark.parametrize("reported", [NOT_ASKED, UNKNOWN, GRANTED, DENIED])
@pytest.mark.parametrize("rule", ConsentRule)
def test_only_a_brand_that_requires_consent_waits_for_it(rule, reported):
    waits = awaits_consent(reported, brand=replace(BRAND, consent=rule))

    assert waits is (rule is REQUIRED and reported in (NOT_ASKED, UNKNOWN))


@each(
    ("_case", "rule", "days", "lifetime"),
    [
        ("as set", NOT_NEEDED, 90, timedelta(days=90)),
        ("with consent", REQUIRED, 90, timedelta(days=90)),
        ("a session ends within a day", SESSION_ONLY, 90, timedelta(days=1)),
        ("or earlier", SESSION_ONLY, 0.5, timedelta(hours=12)),
    ],
)
def test_lifetime_of_the_cookie(rule, days, lifetime):
    brand = replace(BRAND, consent=rule, cookie_lifetime=timedelta(days=days))

    assert cookie_lifetime(brand) == lifetime


@each(
    ("_case", "visit_url", "referrer_url", "kept"),
    [
        (
            "queries, fragments and credentials go",
            "https://me:pw@shop.example.com/aff/x?ref=y&gclid=1#z",
            "https://blog.example.org/post?reader=ada",
            ("https://shop.example.com/aff/x", "https://blog.example.org/"),
        ),
        (
            "no referrer",
            "http://localhost:8000/",
            "",
            ("http://localhost:8000/", ""),
        ),
        ("what is no address", "https://a", "about:ada", ("https://a/", "")),
        (
            "an app",
            "https://a",
            "android-app://com.example.mail/read?id=5",
            ("https://a/", "android-app://com.example.mail/"),
        ),
    ],
)
def test_click_without_a_person_keeps_page_and_site(visit_url, referrer_url, kept):
    cleared = without_person(visit_url=visit_url, referrer_url=referrer_url)

    assert cleared == {
        "visitor_id": None,
        "visit_url": kept[0],
        "referrer_url": kept[1],
        "user_agent": "",
        "ip_prefix": "",
        "refused_redirect": "",
    }
