"""Targets that people really use: every one is permitted, with this exact answer."""

from __future__ import annotations

import ada_url
import pytest

from affiliates.core.redirects import RedirectReason, judge_target
from tests.affiliates.core.entries import entry
from tests.cases import each

HOME = ada_url.URL("https://shop.example.com/client/store?aid=abc#top")
BRAND = (
    entry("shop.example.com"),
    entry("example.org", subdomains=True),
    entry("münchen.de", subdomains=True),
    entry("partner.example.net:8443"),
    entry("shop.localhost:8000"),
    entry("127.0.0.1:8000"),
    entry("[::1]:8000"),
)

AS_GIVEN = [
    "https://shop.example.com",
    "https://shop.example.com/",
    "http://shop.example.com/",
    "https://shop.example.com/plans",
    "https://shop.example.com/plans/",
    "https://shop.example.com/plans.html",
    "https://shop.example.com//double",
    "https://shop.example.com/?plan=1",
    "https://shop.example.com/cart?add=1&add=2&coupon=",
    "https://shop.example.com/a;v=1/b,c/(d)!$'*+",
    "https://shop.example.com/search?q=a+b%20c%2Fd%252F",
    "https://shop.example.com/search?next=https://evil.com/",
    "https://shop.example.com/search?next=//evil.com",
    "https://shop.example.com/#pricing",
    "https://shop.example.com/#/store/7?tab=2",
    "https://shop.example.com/%D0%BC%D0%B0%D0%B3",
    "https://shop.example.com/~user/@name/a:b=c",
    "https://shop.example.com/a/../b",
    "https://shop.example.com/https://evil.com/",
    "https://shop.example.com/a_b-c.d",
    "https://example.org",
    "https://example.org/sale?utm_source=mail&utm_medium=a",
    "https://www.example.org/sale",
    "https://a.b.c.example.org",
    "https://a--b.example.org/",
    "https://1.example.org/",
    "https://xn--mnchen-3ya.de/bier",
    "https://www.xn--mnchen-3ya.de",
    "https://partner.example.net:8443",
    "https://partner.example.net:8443/x",
    "http://shop.localhost:8000/plans",
    "http://127.0.0.1:8000/plans",
]

NORMALISED = [
    ("/", "https://shop.example.com/"),
    ("/plans", "https://shop.example.com/plans"),
    ("/plans?a=1#b", "https://shop.example.com/plans?a=1#b"),
    ("/a/../b/./c", "https://shop.example.com/b/c"),
    ("/%2e%2e/a", "https://shop.example.com/a"),
    ("/.//evil.com", "https://shop.example.com//evil.com"),
    ("/https://evil.com", "https://shop.example.com/https://evil.com"),
    ("/@evil.com", "https://shop.example.com/@evil.com"),
    ("/münchen", "https://shop.example.com/m%C3%BCnchen"),
    ("?plan=2", "https://shop.example.com/client/store?plan=2"),
    ("?", "https://shop.example.com/client/store?"),
    ("HTTPS://shop.example.com/A", "https://shop.example.com/A"),
    ("https://Shop.Example.com", "https://shop.example.com/"),
    ("https://shop.example.com:443/a", "https://shop.example.com/a"),
    ("http://shop.example.com:80", "http://shop.example.com/"),
    ("https://shop.example.com:0443/a", "https://shop.example.com/a"),
    ("https://@shop.example.com/a", "https://shop.example.com/a"),
    ("https://shop%2Eexample.com/a", "https://shop.example.com/a"),
    ("https://shop。example.com/a", "https://shop.example.com/a"),
    ("https://münchen.de/bier", "https://xn--mnchen-3ya.de/bier"),
    ("https://WWW.MÜNCHEN.DE", "https://www.xn--mnchen-3ya.de/"),
    (
        "https://shop.example.com/ü?q=ä#ö",
        "https://shop.example.com/%C3%BC?q=%C3%A4#%C3%B6",
    ),
    ('https://shop.example.com/"<>', "https://shop.example.com/%22%3C%3E"),
    ("https://shop.example.com/a[0]?b[1]=2", "https://shop.example.com/a[0]?b[1]=2"),
    ("https://shop.example.com/a|b^c", "https://shop.example.com/a|b%5Ec"),
    ("https://shop.example.com#pricing", "https://shop.example.com/#pricing"),
    ("https://shop.example.com/100%", "https://shop.example.com/100%"),
    ("https://shop.example.com/#a#b", "https://shop.example.com/#a#b"),
    ("https://example.org/x/../../y'", "https://example.org/x/../../y'"),
    ("http://[::1]:8000/a", "http://[::1]:8000/a"),
    ("https://partner.example.net:08443/", "https://partner.example.net:8443/"),
]

LEGITIMATE = [*((value, value) for value in AS_GIVEN), *NORMALISED]


@each(("value", "url"), LEGITIMATE)
def test_a_legitimate_target_is_permitted(value, url):
    decision = judge_target(value, visit_url=HOME, domains=BRAND, require_https=False)

    assert decision.reason.is_permitted
    assert decision.url == url
    assert decision.requested == value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("/plans", RedirectReason.PERMITTED_SAME_HOST),
        ("https://shop.example.com/", RedirectReason.PERMITTED_SAME_HOST),
        ("https://example.org/", RedirectReason.PERMITTED_DOMAIN),
        ("https://www.example.org/", RedirectReason.PERMITTED_SUBDOMAIN),
        ("http://127.0.0.1:8000/", RedirectReason.PERMITTED_DOMAIN),
    ],
)
def test_a_permission_names_its_rule(value, reason):
    decision = judge_target(value, visit_url=HOME, domains=BRAND, require_https=False)

    assert decision.reason == reason


def test_an_exact_domain_is_named_before_a_wider_one():
    both = (entry("example.org", subdomains=True), entry("www.example.org"))

    decision = judge_target(
        "https://www.example.org/", visit_url=None, domains=both, require_https=False
    )

    assert decision.reason == RedirectReason.PERMITTED_DOMAIN


def test_the_longest_target_is_permitted():
    value = "https://shop.example.com/".ljust(2048, "a")

    decision = judge_target(value, visit_url=HOME, domains=BRAND, require_https=False)

    assert decision.url == value
