"""Whether browsers reach a brand's pages here, and keep the cookie set on them."""

from __future__ import annotations

import pytest
from django.urls import include, path

from affiliates.operations.health.urls import allowed_hosts, cookie_domain
from tests.cases import each
from tests.factories.affiliates import BrandDomainFactory, BrandFactory

pytestmark = pytest.mark.django_db
API = (path("", include("affiliates.api.urls")),)
WITH_AREA = (*API, path("partners/", include("affiliates.contrib.area.urls")))
ARRIVALS = "affiliates.extending.middleware.ReferralCookieMiddleware"


@each(
    ("_case", "urls", "middleware", "allowed", "count"),
    [
        ("the brand's host", WITH_AREA, [], ["shop.example.com"], 0),
        ("all under a domain", WITH_AREA, [], [".example.com"], 0),
        ("every host", WITH_AREA, [], ["*"], 0),
        ("another host", WITH_AREA, [], ["example.com"], 1),
        ("no host", WITH_AREA, [], [], 1),
        ("pages of the host's own", API, [ARRIVALS], ["api.example.com"], 1),
        ("an API on a host of its own", API, [], ["api.example.com"], 0),
    ],
)
def test_a_client_area_that_is_not_allowed_is_named(
    urls, middleware, allowed, count, brand, settings, now
):
    settings.DEBUG = False
    settings.ROOT_URLCONF = urls
    settings.MIDDLEWARE = middleware
    settings.ALLOWED_HOSTS = allowed

    findings = list(allowed_hosts(now))

    assert [(one.id, one.msg) for one in findings] == [
        (
            "affiliates.D025",
            f"ALLOWED_HOSTS has no client area of the brand {brand} "
            "(shop.example.com): its pages here are answered with 400.",
        )
    ] * count


def test_one_client_area_that_is_allowed_is_enough(brand, settings, now):
    BrandDomainFactory(brand=brand, host="partners.example.com", is_client_area=True)
    settings.ROOT_URLCONF = WITH_AREA
    settings.ALLOWED_HOSTS = ["partners.example.com"]

    assert list(allowed_hosts(now)) == []


def test_the_hosts_of_a_test_brand_need_not_be_allowed(settings, now):
    BrandFactory(client_area="test.example.com", is_test=True)
    settings.ROOT_URLCONF = WITH_AREA
    settings.ALLOWED_HOSTS = ["shop.example.com"]
    settings.AFFILIATES_COOKIE_DOMAIN = "shop.example.com"

    assert list(allowed_hosts(now)) == []
    assert list(cookie_domain(now)) == []


def test_no_host_need_be_named_while_developing(settings, now):
    BrandFactory(client_area="localhost:8000")
    settings.ROOT_URLCONF = WITH_AREA
    settings.ALLOWED_HOSTS = []
    settings.DEBUG = True

    assert list(allowed_hosts(now)) == []


@each(
    ("domain", "allowed", "refusing"),
    [
        (None, ["*"], ""),
        ("example.com", ["*"], ""),
        (".example.com", ["*"], ""),
        ("shop.example.com", ["*"], ""),
        ("ample.com", ["*"], "shop.example.com"),
        ("example.org", ["*"], "shop.example.com"),
        ("example.org", ["api.example.org"], "shop.example.com"),
    ],
)
def test_a_cookie_domain_of_no_brand_is_named(
    domain, allowed, refusing, brand, settings, now
):
    settings.AFFILIATES_COOKIE_DOMAIN = domain
    settings.ALLOWED_HOSTS = allowed

    findings = list(cookie_domain(now))

    assert [one.id for one in findings] == ["affiliates.D026"] * bool(refusing)
    assert all(
        one.msg
        == f"AFFILIATES_COOKIE_DOMAIN is {domain}: browsers refuse the referral "
        f"cookie on {refusing}."
        for one in findings
    )


@each(("allowed", "count"), [("*", 1), (".example.com", 0)])
def test_a_client_area_elsewhere_is_named_where_this_host_serves_it(
    allowed, count, brand, settings, now
):
    BrandFactory(client_area="elsewhere.example.net") if allowed == "*" else None
    settings.AFFILIATES_COOKIE_DOMAIN = "example.com"
    settings.ALLOWED_HOSTS = [allowed]

    findings = list(cookie_domain(now))

    assert ["elsewhere.example.net" in one.msg for one in findings] == [True] * count
