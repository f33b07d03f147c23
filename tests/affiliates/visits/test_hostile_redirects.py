"""No redirect of a visit leads its visitor away from the brand."""

from __future__ import annotations

from itertools import cycle
from urllib.parse import quote, urlsplit

import ada_url
import pytest

from affiliates.core.urls import parse_http_url
from affiliates.visits.decision import choose_redirect
from tests.affiliates.core.hostile import known_redirects, made_up_redirects
from tests.factories.affiliates import BrandDomainFactory
from tests.lengths import times

SHOP = "https://shop.example.com"
PAGES = ["/?redirect={}", "/aff/x?a=1&redirect={}", "/#redirect={}", "/#/p?redirect={}"]

pytestmark = pytest.mark.long


def test_no_redirect_leaves_the_brand(brand):
    BrandDomainFactory(brand=brand, host="example.org", include_subdomains=True)
    config = brand.to_config()
    values = [*known_redirects(), *made_up_redirects(times(600, long=12_000))]
    answers = [
        choose_redirect(
            parse_http_url(SHOP + page.format(_quoted(value))),
            brand=config,
            is_named=is_named,
            link_target=f"{SHOP}/plans",
            integration_parameters=(),
        ).url
        for value, page, is_named in zip(
            values, cycle(PAGES), cycle([True, False, False])
        )
    ]

    left = [
        (value, answer)
        for value, answer in zip(values, answers, strict=True)
        if not _is_inside(ada_url.URL(answer).host)
        or not _is_inside(urlsplit(answer).netloc)
    ]
    assert left == []
    assert len(set(answers)) > len(values) / 100


def _quoted(value: str) -> str:
    return quote(value, safe="", errors="surrogatepass")


def _is_inside(host: str) -> bool:
    return host in ("shop.example.com", "example.org") or host.endswith(".example.org")
