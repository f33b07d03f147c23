"""Short links on a host of their own lead to pages with the script, and record nothing."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from affiliates.extending.middleware import LinkHostMiddleware
from tests.affiliates.api.calls import SHOP
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateLinkFactory, BrandDomainFactory

GO = "go.example.com"
BLOG = "https://blog.example.com/offer"


@pytest.fixture
def links(brand, link, settings):
    """The link, named summer, and one whose target is on a page without the script."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.AFFILIATES_LINK_HOSTS = [GO]
    for host in (GO, "blog.example.com"):
        BrandDomainFactory(brand=brand, host=host, is_client_area=False)
    link.slug, link.slug_brand = "summer", brand
    link.save()
    other = AffiliateLinkFactory(affiliate=link.affiliate, target_url=BLOG)
    bare = AffiliateLinkFactory(affiliate=link.affiliate)
    return {"hash": link.hash, "blog": other.hash, "bare": bare.hash}


def opened(address, *, method="get", host=GO):
    caller = {"HTTP_HOST": host, "REMOTE_ADDR": "203.0.113.7"}
    request = getattr(RequestFactory(), method)(address, secure=True, **caller)
    page = LinkHostMiddleware(lambda _: HttpResponse("the host's page"))
    with nothing_written():
        return page(request)


def test_short_link_leads_to_its_target_with_its_name(links):
    rows = {
        "/{hash}": "/plans?ref={hash}",
        "/summer": "/plans?ref={hash}",
        "/Summer.": "/plans?ref={hash}",
        "/summer/?utm_source=yt&ref=rival": "/plans?ref={hash}&utm_source=yt",
        "/%E2%80%8B{hash})": "/plans?ref={hash}",
        "/partner": "/?ref=partner",
        "/partner,?a=1;b=2": "/?ref=partner&a=1;b=2",
        "/summer?redirect=/store": "/plans?ref={hash}&redirect=/store",
        "/{bare}": "/?ref={bare}",
        "/{blog}": "/aff/{blog}?ref={blog}",
        "/": "/",
        "/nobody?utm_source=yt": "/?utm_source=yt",
        "/robots.txt": "/",
    }

    answers = {address: opened(address.format(**links)) for address in rows}

    assert {answer.status_code for answer in answers.values()} == {302}
    assert not any(answer.cookies for answer in answers.values())
    assert {address: answer["Location"] for address, answer in answers.items()} == {
        address: SHOP + target.format(**links) for address, target in rows.items()
    }


@each(
    ("_case", "host", "configured"),
    [
        ("the shop", "shop.example.com", [GO]),
        ("another port", f"{GO}:8000", [GO]),
        ("no brand's domain", "links.example.net", [GO, "links.example.net"]),
        ("no setting", GO, []),
        ("no host", "a b", [GO]),
    ],
)
def test_other_hosts_are_left_alone(links, settings, host, configured):
    settings.AFFILIATES_LINK_HOSTS = configured

    assert opened("/summer", host=host).content == b"the host's page"


def test_inactive_brand_has_no_short_links(links, brand):
    brand.is_active = False
    brand.save()

    assert opened("/summer").content == b"the host's page"


def test_short_link_is_only_read(links):
    assert opened("/summer", method="post").status_code == 405
    assert opened("/summer", method="head").status_code == 302


def test_short_links_are_not_tried_out_without_limit(links, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"visit": "1/minute"}

    answers = [opened("/summer")["Location"] for _ in range(2)]

    assert answers == [f"{SHOP}/plans?ref={links['hash']}", f"{SHOP}/"]
