"""Whoever follows the answers arrives: no visit sends its visitor round in circles."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.affiliates.api.calls import SHOP, visited
from tests.cases import each
from tests.factories.affiliates import AffiliateLinkFactory

pytestmark = pytest.mark.portable

PAGES = [
    "/",
    "/plans",
    "/plans?a=1#b",
    "/aff/{hash}",
    "/aff/{hash}?redirect=/store",
    "/aff/{hash}?redirect=//evil.example",
    "/aff/{hash}?redirect=https://evil.example/?redirect=/x",
    "/?ref={hash}",
    "/?ref=partner",
    "/?ref=partner&redirect=",
    "/?ref=partner#ref=partner",
    "/#/plans?ref={hash}&redirect=/store",
    "/?redirect=/aff/{hash}",
    "/?redirect=%3Fref%3Dpartner",
    "/?redirect=%3Fredirect",
    "/?redirect=/?redirect=/?redirect=//evil.example",
]
TRACKED_PAGES = [
    "/?a_aid=one",
    "/plans?aid=one&a_aid=",
    "/#a_aid=one",
    "/#/plans?a_aid=one&ref={hash}",
    "/aff/{hash}?a_aid=one",
    "/?ref=partner&a_aid=one",
    "/aff/{hash}?a_aid=one&redirect=//evil.example",
]


@each("landing", ["default_url", "stay"])
@each("page", PAGES)
def test_following_the_answers_ends(api, brand, link, landing, page):
    brand.landing = landing
    brand.save()

    assert _ends(api, SHOP + page.format(hash=link.hash))


@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize(
    "page", [*PAGES, *TRACKED_PAGES, "/?a_aid=one&redirect=%3Fa_aid%3Dtwo"]
)
def test_following_the_answers_ends_with_an_integration_too(
    api, brand, link, integrate, landing, page
):
    brand.landing = landing
    brand.save()
    integrate()

    assert _ends(api, SHOP + page.format(hash=link.hash))


@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize(
    ("_case", "target"),
    [("a plain page", "/plans"), ("a link of the integration", "/plans?a_aid=two")],
)
@pytest.mark.parametrize("page", TRACKED_PAGES)
def test_integrations_link_leads_there_in_one_hop(
    api, brand, link, integrate, landing, _case, target, page
):
    brand.landing = landing
    brand.save()
    link.target_url = SHOP + target
    link.save()
    integrate()

    arrived_at = visited(api, SHOP + page.format(hash=link.hash))["redirect_url"]

    assert not _calls_on_arrival(arrived_at)


@pytest.mark.parametrize("landing", ["default_url", "stay"])
def test_default_url_that_is_a_link_of_the_integration_ends_too(
    api, brand, integrate, landing
):
    brand.default_redirect_url = f"{SHOP}/?a_aid=one"
    brand.landing = landing
    brand.save()
    integrate()

    for page in ("/?a_aid=two", "/?a_aid=two&redirect=//evil.example", "/"):
        assert _ends(api, SHOP + page)


@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize(
    ("_case", "target"),
    [
        ("its own address", "/aff/{own}"),
        ("each other's address", "/aff/{other}"),
        ("each other's hash", "/?ref={other}"),
        ("a redirect to the other", "/?redirect={quoted}"),
    ],
)
def test_links_that_lead_to_links_end_too(
    api, brand, affiliate, landing, _case, target
):
    brand.landing = landing
    brand.save()
    first, second = AffiliateLinkFactory.create_batch(2, affiliate=affiliate)
    for link, other in ((first, second), (second, first)):
        quoted = quote(f"/aff/{other.hash}", safe="")
        path = target.format(own=link.hash, other=other.hash, quoted=quoted)
        link.target_url = SHOP + path
        link.save()

    assert _ends(api, f"{SHOP}/aff/{first.hash}")


def test_default_url_that_is_an_affiliate_link_ends_too(api, brand, link):
    brand.default_redirect_url = f"{SHOP}/aff/{link.hash}"
    brand.save()

    assert _ends(api, f"{SHOP}/")


def _ends(api, page, hops=5):
    """Whether a browser that follows every answer comes to rest.

    It rests on a page that carries nothing of an affiliate, or that answers itself.
    """
    for _ in range(hops):
        answer = visited(api, page)["redirect_url"]
        if answer == page or not _calls_on_arrival(answer):
            return True
        page = answer
    return False


def _calls_on_arrival(page):
    return any(mark in page for mark in ("/aff/", "ref=", "redirect", "aid="))
