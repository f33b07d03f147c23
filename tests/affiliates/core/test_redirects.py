from __future__ import annotations

from urllib.parse import quote

import pytest

from affiliates.core.redirects import (
    MAX_TARGET_LENGTH,
    RedirectDecision,
    RedirectReason,
    decide_redirect,
    judge_target,
)
from affiliates.core.urls import HttpUrl, parse_http_url
from tests.affiliates.core.entries import entry
from tests.cases import each

HOME = parse_http_url("https://shop.example.com/store?aid=1#top")
BRAND = (
    entry("shop.example.com"),
    entry("example.org", subdomains=True),
    entry("münchen.de", subdomains=True),
    entry("partner.example.net:8443"),
    entry("api.example.com", redirect_target=False),
    entry("shop.localhost:8000"),
    entry("127.0.0.1:8000"),
)


def judge(
    value: str, *, home: HttpUrl | None = HOME, https: bool = False
) -> RedirectDecision:
    return judge_target(value, visit_url=home, domains=BRAND, require_https=https)


@each(
    ("_case", "query", "url", "reason", "requested"),
    [
        ("none", "", None, "no_redirect", None),
        ("empty", "?redirect=", None, "empty", ""),
        ("relative", "?redirect=/a", f"{HOME.origin}/a", "permitted_same_host", "/a"),
        (
            "absolute",
            "?redirect=https%3A%2F%2Fwww.example.org%2Fa%3Fb%3D1%26c%3D2",
            "https://www.example.org/a?b=1&c=2",
            "permitted_subdomain",
            "https://www.example.org/a?b=1&c=2",
        ),
        (
            "in the fragment",
            "#/plans?redirect=https://example.org",
            "https://example.org",
            "permitted_domain",
            "https://example.org",
        ),
        (
            "the first one only",
            "?redirect=https://evil.com/&redirect=/a",
            None,
            "not_on_brand_domains",
            "https://evil.com/",
        ),
        (
            "query beats fragment",
            "?redirect=https://evil.com/#redirect=/a",
            None,
            "not_on_brand_domains",
            "https://evil.com/",
        ),
        (
            "encoded twice",
            "?redirect=https%253A%252F%252Fexample.org%252F",
            None,
            "bad_shape",
            "https%3A%2F%2Fexample.org%2F",
        ),
        (
            "tab between slashes",
            "?redirect=/%09/evil.com",
            None,
            "forbidden_character",
            "/\t/evil.com",
        ),
        ("invalid utf-8", "?redirect=/%a0", None, "forbidden_character", "/\ufffd"),
        (
            "a plus for a space",
            "?redirect=https://example.org/search?q=web+hosting",
            "https://example.org/search?q=web%20hosting",
            "permitted_domain",
            "https://example.org/search?q=web hosting",
        ),
        (
            "an encoded space",
            "?redirect=/a%20b?c%20%20d#x",
            f"{HOME.origin}/a%20b?c%20%20d",
            "permitted_same_host",
            "/a b?c  d",
        ),
        (
            "a fragment beside the host",
            "?redirect=http://example.org%23@evil.com/x",
            "http://example.org/#@evil.com/x",
            "permitted_domain",
            "http://example.org#@evil.com/x",
        ),
        (
            "a query beside the host",
            "?redirect=http://example.org?@evil.com/x",
            "http://example.org/?@evil.com/x",
            "permitted_domain",
            "http://example.org?@evil.com/x",
        ),
        ("a trailing plus", "?redirect=/a+", None, "forbidden_character", "/a "),
        (
            "a plus in the host",
            "?redirect=https://example.org+.evil.com/",
            None,
            "unparsable",
            "https://example.org .evil.com/",
        ),
    ],
)
def test_the_visited_url_names_the_redirect(query, url, reason, requested):
    visit_url = parse_http_url(f"https://shop.example.com/store{query}")

    decision = decide_redirect(visit_url, domains=BRAND, require_https=False)

    assert (decision.url, decision.reason, decision.requested) == (
        url,
        reason,
        requested,
    )


@each(
    ("value", "reason"),
    [
        ("", "empty"),
        ("https://shop.example.com/".ljust(MAX_TARGET_LENGTH + 1, "a"), "too_long"),
        ("https://evil.com/".ljust(MAX_TARGET_LENGTH + 1, "a"), "too_long"),
        ("/a/.." * MAX_TARGET_LENGTH, "too_long"),
        ("/" + "ü" * (MAX_TARGET_LENGTH - 1), "too_long"),
        *(
            (f"https://shop.example.com/{character}", "forbidden_character")
            for character in "\0\t\n\r\x1f \x7f\x80\x9f\\\xa0\u2028\u2029\ufeff\ufffd"
        ),
        ("/\t/evil.com", "forbidden_character"),
        ("/\\evil.com", "forbidden_character"),
        (" https://shop.example.com/", "forbidden_character"),
        (" /a b", "forbidden_character"),
        ("/a b ", "forbidden_character"),
        ("/a\t b", "forbidden_character"),
        (" //evil.com", "forbidden_character"),
        (" ", "forbidden_character"),
        ("https: //evil.com", "bad_shape"),
        ("https:/ /evil.com", "bad_shape"),
        ("java script:alert(1)", "bad_shape"),
        ("https:// shop.example.com/", "unparsable"),
        ("https://shop.example.com /", "unparsable"),
        ("https://shop.example.com:443 /", "unparsable"),
        ("https://a b@shop.example.com/", "has_credentials"),
        ("/ " * (MAX_TARGET_LENGTH // 2), "forbidden_character"),
        ("/" + " a" * (MAX_TARGET_LENGTH // 2 - 1), "too_long"),
        ("//evil.com", "bad_shape"),
        ("//shop.example.com/a", "bad_shape"),
        ("///evil.com", "bad_shape"),
        ("https:evil.com", "bad_shape"),
        ("https:/evil.com", "bad_shape"),
        ("https:///evil.com", "bad_shape"),
        ("https:shop.example.com", "bad_shape"),
        ("shop.example.com", "bad_shape"),
        ("shop.example.com/a", "bad_shape"),
        ("a", "bad_shape"),
        (".", "bad_shape"),
        ("./a", "bad_shape"),
        ("../a", "bad_shape"),
        ("#top", "bad_shape"),
        ("https%3A%2F%2Fshop.example.com%2F", "bad_shape"),
        ("%2Fa", "bad_shape"),
        ("\ud800", "bad_shape"),
        ("javascript:alert(1)", "not_http"),
        ("JavaScript://shop.example.com/%0aalert(1)", "not_http"),
        ("data:text/html,x", "not_http"),
        ("blob:https://shop.example.com/0", "not_http"),
        ("file:///etc/passwd", "not_http"),
        ("ftp://shop.example.com/", "not_http"),
        ("ws://shop.example.com/", "not_http"),
        ("httpss://shop.example.com/", "not_http"),
        ("view-source:https://shop.example.com/", "not_http"),
        ("shop.example.com:443/a", "not_http"),
        ("https://", "bad_shape"),
        ("https://?x", "unparsable"),
        ("https://#x", "unparsable"),
        ("https://:443/", "unparsable"),
        ("https://shop.example.com:99999/", "unparsable"),
        ("https://shop.example.com:a/", "unparsable"),
        ("https://exa<mple.com/", "unparsable"),
        ("https://[::1/", "unparsable"),
        ("https://shop.example.com/\ud800", "unparsable"),
        ("/\udfff", "unparsable"),
        ("https://user@shop.example.com/", "has_credentials"),
        ("https://user:password@shop.example.com/", "has_credentials"),
        ("https://:password@shop.example.com/", "has_credentials"),
        ("https://shop.example.com@evil.com/", "has_credentials"),
        ("https://shop.example.com%40evil.com/", "unparsable"),
        ("https://my_shop.example.org/", "bad_host"),
        ("https://shop.example.com./", "bad_host"),
        ("https://www..example.org/", "bad_host"),
        ("https://.example.org/", "bad_host"),
        ("https://-.example.org/", "bad_host"),
        ("https://*.example.org/", "bad_host"),
        ("https://%2A.example.org/", "bad_host"),
        ("https://" + "a" * 64 + ".example.org/", "bad_host"),
        ("http://127.0.0.1/", "bad_host"),
        ("http://127.0.0.1:8001/", "bad_host"),
        ("http://127.1:8000/", "bad_host"),
        ("http://0x7f.1:8000/", "bad_host"),
        ("http://2130706433:8000/", "bad_host"),
        ("http://0177.0.0.1:8000/", "bad_host"),
        ("http://127.0.0.%31:8000/", "bad_host"),
        ("http://[::1]:8000/", "bad_host"),
        ("http://[::ffff:127.0.0.1]:8000/", "bad_host"),
        ("https://93.184.216.34/", "bad_host"),
        ("https://evil.com/", "not_on_brand_domains"),
        ("https://evil.com/shop.example.com", "not_on_brand_domains"),
        ("https://evil.com?https://shop.example.com/", "not_on_brand_domains"),
        ("https://evil.com#@shop.example.com/", "not_on_brand_domains"),
        ("https://shop.example.com.evil.com/", "not_on_brand_domains"),
        ("https://shop-example.com/", "not_on_brand_domains"),
        ("https://a.shop.example.com/", "not_on_brand_domains"),
        ("https://example.com/", "not_on_brand_domains"),
        ("https://notexample.org/", "not_on_brand_domains"),
        ("https://api.example.com/", "not_on_brand_domains"),
        ("https://shop.example.com:8443/", "not_on_brand_domains"),
        ("https://shop.example.com:80/", "not_on_brand_domains"),
        ("http://shop.example.com:443/", "not_on_brand_domains"),
        ("https://www.example.org:8443/", "not_on_brand_domains"),
        ("https://partner.example.net/", "not_on_brand_domains"),
        ("https://a.partner.example.net:8443/", "not_on_brand_domains"),
        ("http://shop.localhost/", "not_on_brand_domains"),
        ("http://localhost:8000/", "not_on_brand_domains"),
        ("https://munchen.de/", "not_on_brand_domains"),
        ("https://ѕhop.example.com/", "not_on_brand_domains"),
        ("https://xn--evil.com/", "not_on_brand_domains"),
    ],
)
def test_a_refused_target_names_its_reason(value, reason):
    decision = judge(value)

    assert (decision.url, decision.reason, decision.requested) == (None, reason, value)


@pytest.mark.parametrize("value", ["/a", "?a=1", "https://partner.example.com/"])
def test_without_a_visited_page_a_target_is_absolute_and_on_a_domain(value):
    own = judge("https://shop.example.com/a", home=None)

    assert judge(value, home=None).url is None
    assert own.reason == RedirectReason.PERMITTED_DOMAIN
    assert own.url == "https://shop.example.com/a"


@each(
    ("_case", "home", "value", "url"),
    [
        (
            "unlisted visited host",
            "https://other.example/x",
            "/a",
            "https://other.example/a",
        ),
        (
            "its http",
            "https://other.example/x",
            "http://other.example/",
            "http://other.example/",
        ),
        ("its subdomain", "https://other.example/x", "https://a.other.example/", None),
        ("its other port", "https://other.example/x", "https://other.example:1/", None),
        ("visited port", "http://dev.example:81/x", "/a", "http://dev.example:81/a"),
        ("port left out", "http://dev.example:81/x", "http://dev.example/", None),
        ("listed address", "http://127.0.0.1:8000/x", "/a", "http://127.0.0.1:8000/a"),
        ("unlisted address", "http://10.0.0.1:8000/x", "/a", None),
        ("visited with credentials", "https://u:p@shop.example.com/", "/a", None),
        ("visited with an underscore", "https://a_b.example/x", "/a", None),
        ("visited with a final dot", "https://shop.example.com./x", "/a", None),
    ],
)
def test_the_visited_host_is_permitted_exactly(home, value, url):
    assert judge(value, home=parse_http_url(home)).url == url


@pytest.mark.parametrize(
    ("_case", "value", "reason"),
    [
        ("https", "https://example.org/", "permitted_domain"),
        ("http", "http://example.org/", "https_required"),
        ("http, same host", "http://shop.example.com/", "https_required"),
        ("relative on https", "/a", "permitted_same_host"),
        ("http elsewhere", "http://evil.com/", "not_on_brand_domains"),
    ],
)
def test_a_brand_may_require_https(_case, value, reason):
    decision = judge(value, https=True)

    assert decision.reason == reason
    assert (decision.url is not None) is decision.reason.is_permitted


def test_a_relative_target_of_an_http_page_is_refused_when_https_is_required():
    decision = judge("/a", home=parse_http_url("http://shop.example.com/"), https=True)

    assert decision.reason == RedirectReason.HTTPS_REQUIRED
    assert decision.url is None


def test_three_reasons_permit():
    assert {reason for reason in RedirectReason if reason.is_permitted} == {
        RedirectReason.PERMITTED_SAME_HOST,
        RedirectReason.PERMITTED_DOMAIN,
        RedirectReason.PERMITTED_SUBDOMAIN,
    }


def test_every_reason_has_words_for_the_operator():
    labels = [label for _, label in RedirectReason.choices]

    assert all(labels)
    assert len(set(labels)) == len(RedirectReason)


def test_a_nested_redirect_is_unwrapped_one_level_per_visit():
    inner = "https://example.org/end"
    middle = f"https://shop.example.com/b?redirect={quote(inner, safe='')}"
    outer = f"https://shop.example.com/a?redirect={quote(middle, safe='')}"

    first = decide_redirect(parse_http_url(outer), domains=BRAND, require_https=False)
    second = decide_redirect(parse_http_url(middle), domains=BRAND, require_https=False)
    third = decide_redirect(parse_http_url(inner), domains=BRAND, require_https=False)

    assert (first.url, second.url, third.url) == (middle, inner, None)
