from __future__ import annotations

from urllib.parse import quote

import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affiliates.core.redirects import RedirectDecision, decide_redirect, judge_target
from affiliates.core.urls import parse_http_url, without_parameters
from tests.affiliates.core.entries import entry
from tests.affiliates.core.hostile import PIECES
from tests.lengths import times

HOME = ada_url.URL("https://shop.example.com:8443/store?aid=1#top")
BRAND = (
    entry("example.org", subdomains=True),
    entry("münchen.de"),
    entry("localhost:8000"),
    entry("127.0.0.1:8000"),
)
crafted = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
anything = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("/\\:@.?#%\t"), max_size=60
)
values = crafted | anything | anything.map("https://example.org".__add__)
many = settings(max_examples=times(300, long=20_000), deadline=None)
pytestmark = pytest.mark.long


def judge(value: str, home: ada_url.URL | None = HOME) -> RedirectDecision:
    return judge_target(value, visit_url=home, domains=BRAND, require_https=False)


def _is_inside(url: str) -> bool:
    parsed = ada_url.URL(url)
    host = parsed.hostname
    on_brand = parsed.port == "" and (
        host in ("example.org", "xn--mnchen-3ya.de") or host.endswith(".example.org")
    )
    return on_brand or parsed.host in (HOME.host, "localhost:8000", "127.0.0.1:8000")


@many
@given(values)
def test_what_is_returned_lies_inside(value):
    decision = judge(value)

    assert (decision.url is not None) is decision.reason.is_permitted
    assert decision.requested == value
    if decision.url is not None:
        assert _is_inside(decision.url)
        assert decision.url.isascii()
        assert decision.url.startswith(("https://", "http://"))


@many
@given(values)
def test_what_is_returned_is_permitted_again_and_unchanged(value):
    decision = judge(value)

    if decision.url is not None:
        assert judge(decision.url).url == decision.url


@many
@given(values)
def test_without_a_visited_page_nothing_more_is_permitted(value):
    alone = judge(value, home=None)

    if alone.url is not None:
        assert judge(value).url == alone.url


@many
@given(values, st.sampled_from(["?redirect={}", "#redirect={}", "#/x?redirect={}"]))
def test_a_value_survives_its_way_through_the_visited_url(value, template):
    encoded = quote(value, safe="", errors="surrogatepass")
    visit_url = parse_http_url(HOME.href.partition("?")[0] + template.format(encoded))
    decoded = value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    assert visit_url is not None
    decision = decide_redirect(visit_url, domains=BRAND, require_https=False)

    assert decision == judge_target(
        decoded, visit_url=visit_url, domains=BRAND, require_https=False
    )


@many
@given(anything)
def test_no_page_address_raises(text):
    url = parse_http_url(f"https://shop.example.com/{text}")

    if url is not None:
        decide_redirect(url, domains=BRAND, require_https=True)
        rest = ada_url.URL(without_parameters(url, ("redirect",)))
        assert rest.host == url.host
        assert rest.pathname == url.pathname
