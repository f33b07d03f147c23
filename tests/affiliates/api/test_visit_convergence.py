"""Whoever follows the answers arrives: no visit sends its visitor round in circles."""

from __future__ import annotations

from random import Random
from urllib.parse import quote, urlsplit

import pytest
from ada_url import URL

from tests.affiliates.api.calls import SHOP, visited
from tests.cases import each
from tests.factories.affiliates import AffiliateLinkFactory, BrandDomainFactory
from tests.lengths import times

pytestmark = pytest.mark.portable

ADDRESSES = times(300, long=10_000)
HELP = "https://help.example.org"
OWN_HOSTS = {"shop.example.com", "help.example.org"}
ORIGINS = [SHOP, SHOP, SHOP, "http://shop.example.com", HELP, "https://evil.example"]
REDIRECTS = [
    *(
        "",
        "/",
        "/deep?a=b#c",
        "/a b",
        "?step=2",
        "#top",
        f"{HELP}/faq",
        f"{HELP}/?a_aid=x",
    ),
    *("//evil.example", "https://evil.example/", "javascript:alert(1)", "\\", " /a"),
    *("/aff/{0}", "/?ref={0}", "?ref={0}", "/plans#ref={0}", SHOP + "/plans?a_aid=one"),
]

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

    assert len(_stops(api, SHOP + page.format(hash=link.hash))) == 1


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


@pytest.mark.long
@pytest.mark.parametrize("landing", ["default_url", "stay"])
def test_client_rests_within_two_answers(api, brand, affiliate, integrate, landing):
    """From ADDRESSES of them, each made by its number."""
    brand.landing = landing
    brand.save()
    BrandDomainFactory(brand=brand, host="help.example.org", is_client_area=False)
    targets = [f"{SHOP}/plans", "", "https://gone.example/", f"{SHOP}/?ref=partner"]
    hashes = [
        AffiliateLinkFactory(affiliate=affiliate, target_url=target).hash
        for target in targets
    ]
    integrate()

    for number in range(ADDRESSES // 2):
        address = _made_up(Random(f"{landing}/{number}"), hashes)  # noqa: S311
        stops = _stops(api, address)

        assert len(stops) <= (2 if "redirect=" in address else 1), (address, stops)
        assert urlsplit((stops or [address])[-1]).netloc in OWN_HOSTS, (address, stops)


def _made_up(random: Random, hashes: list[str]) -> str:
    """The address of a page with parameters, none of whose redirects asks for another."""
    token = random.choice([*hashes, "partner", "nobody", "0" * 40, "", "%00"])
    parameters = [
        f"ref={token}",
        f"a_aid={random.choice(['one', '', 'x' * 300, '%0a'])}",
        f"redirect={quote(random.choice(REDIRECTS).format(token), safe='')}",
        random.choice(["a=1", "q=a+b", "q=%20", "é=%ff", "ref", "&&", "=x"]),
    ]
    query, fragment = (
        "&".join(random.sample(parameters, random.randrange(4))) for _ in range(2)
    )
    address = "".join(
        (
            random.choice(ORIGINS),
            random.choice(["", "/", "/plans", "/a%20b/ü", "//x", f"/aff/{token}"]),
            random.choice(["", "?", f"?{query}"]),
            random.choice(["", "#", "#top", f"#{fragment}", f"#/p?{fragment}"]),
        )
    )
    return URL(address).href


def _ends(api, page):
    """Whether a client that follows every answer comes to rest in the shop.

    Within two answers, but that each redirect that another one holds takes one more.
    """
    stops = _stops(api, page)
    return (
        len(stops) <= max(2, page.count("redirect="))
        and urlsplit((stops or [page])[-1]).netloc == urlsplit(SHOP).netloc
    )


def _stops(api, page):
    """The pages that a browser loads that goes to every answer."""
    stops = []
    while len(stops) < 10:
        answer = visited(api, page)["redirect_url"]
        # A browser loads no page again for a fragment.
        if "#" in answer and answer.partition("#")[0] == page.partition("#")[0]:
            return stops
        stops.append(answer)
        page = answer
    return stops
