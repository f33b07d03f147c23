"""Arrivals that a host's own pages are opened by, without any script."""

from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import path

from affiliates.api import arrivals
from affiliates.api.arrivals import ReferralCookieMiddleware
from affiliates.brands.rules import ConsentRule, Landing, PrivacyControl
from affiliates.contracts import ClientRegistered
from affiliates.cookies import referral_cookie
from affiliates.host_events import client_registered
from affiliates.referrals.models import ClientReferral
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click
from tests.affiliates.api.calls import BROWSER, CRAWLER
from tests.cases import each
from tests.database import nothing_written

SHOP = {"HTTP_HOST": "shop.example.com"}


@pytest.fixture(autouse=True)
def _pages_of_the_shop(settings):
    settings.ALLOWED_HOSTS = [".example.com"]


def page(request):
    return HttpResponse("the host's page", headers={"Cache-Control": "max-age=60"})


urlpatterns = [path("plans", page)]


def opened(address, *, cookie=None, middleware=ReferralCookieMiddleware, **headers):
    request = RequestFactory().get(
        address, **{**SHOP, "HTTP_USER_AGENT": BROWSER, **headers}
    )
    if cookie is not None:
        request.COOKIES["referral_cookie"] = cookie
    return middleware(page)(request)


def is_left_alone(response):
    return (
        response.content == b"the host's page"
        and not response.cookies
        and response["Cache-Control"] == "max-age=60"
    )


def test_privacy_control_takes_the_cookie_back_where_the_brand_heeds_it(brand, link):
    brand.privacy_control = PrivacyControl.REFUSAL
    brand.save()

    response = opened(f"/aff/{link.hash}", cookie="held", HTTP_SEC_GPC="1")

    assert response["Location"] == "https://shop.example.com/plans"
    assert response.cookies["referral_cookie"]["max-age"] == 0


@pytest.mark.parametrize("written", ["shop.example.com:80", "Shop.Example.com"])
def test_a_proxy_may_write_the_host_otherwise(written, link):
    response = opened(f"/aff/{link.hash}", HTTP_HOST=written)

    assert response["Location"] == "https://shop.example.com/plans"
    assert Click.objects.get().visit_url == f"http://shop.example.com/aff/{link.hash}"


def test_a_link_leads_to_its_target_with_the_cookie(link, affiliate):
    response = opened(
        f"/aff/{link.hash}",
        HTTP_REFERER="https://blog.example.org/",
        REMOTE_ADDR="203.0.113.7",
    )

    assert response.status_code == 302
    assert response["Location"] == "https://shop.example.com/plans"
    assert response["Cache-Control"] == "private, no-store"
    assert response.cookies["referral_cookie"]["max-age"] == 7_776_000
    click = Click.objects.get()
    assert click.affiliate == affiliate
    assert click.visit_url == f"http://shop.example.com/aff/{link.hash}"
    assert (click.referrer_url, click.user_agent) == (
        "https://blog.example.org/",
        BROWSER,
    )
    assert click.ip_prefix == "203.0.113.0/24"


def test_a_parameter_is_taken_out_of_the_pages_address(brand, affiliate):
    brand.landing = Landing.STAY
    brand.save()

    response = opened("/plans?plan=pro&ref=partner")

    assert response["Location"] == "http://shop.example.com/plans?plan=pro"
    assert Click.objects.get().affiliate == affiliate


def test_the_page_it_leads_to_is_left_alone(brand, link):
    arrived = opened(f"/aff/{link.hash}")
    value = arrived.cookies["referral_cookie"].value

    with nothing_written():
        response = opened(arrived["Location"].partition(".com")[2], cookie=value)

    assert is_left_alone(response)


def test_who_is_led_to_the_page_they_are_on_stays_there(brand, affiliate):
    brand.default_redirect_url = "http://shop.example.com/plans?ref=partner"
    brand.save()

    response = opened("/plans?ref=partner")

    assert response.content == b"the host's page"
    assert "referral_cookie" in response.cookies
    assert response["Cache-Control"] == "private, no-store"


def test_the_next_link_continues_the_visitor(link, rival_link):
    first = opened(f"/aff/{link.hash}").cookies["referral_cookie"].value

    opened(f"/aff/{rival_link.hash}", cookie=first)

    assert len({click.visitor_id for click in Click.objects.all()}) == 1


def test_a_robot_is_led_on_without_a_cookie(link):
    response = opened(f"/aff/{link.hash}", HTTP_USER_AGENT=CRAWLER)

    assert response["Location"] == "https://shop.example.com/plans"
    assert not response.cookies
    assert Click.objects.get().bot_signs == "user_agent"


def test_a_cookie_that_is_none_ends_where_the_visit_answers_none(link):
    response = opened(f"/aff/{link.hash}", HTTP_USER_AGENT=CRAWLER, cookie="garbage")

    assert response.cookies["referral_cookie"].value == ""
    assert response.cookies["referral_cookie"]["max-age"] == 0


@each(
    ("_case", "address", "headers"),
    [
        ("no parameter", "/plans", {}),
        ("another parameter", "/plans?page=2", {}),
        ("no link", "/aff/a.b", {}),
        ("another host's page", "/plans?ref=partner", {"HTTP_HOST": "evil.example"}),
        ("no host at all", "/plans?ref=partner", {"HTTP_HOST": "a b"}),
        ("a picture", "/plans?ref=partner", {"HTTP_SEC_FETCH_DEST": "image"}),
        ("a frame", "/plans?ref=partner", {"HTTP_SEC_FETCH_DEST": "iframe"}),
        ("a script's call", "/plans?ref=partner", {"HTTP_SEC_FETCH_MODE": "cors"}),
        ("a form", "/plans?ref=partner", {"REQUEST_METHOD": "POST"}),
    ],
)
def test_whatever_is_no_arrival_is_left_alone(address, headers, affiliate):
    with nothing_written():
        assert is_left_alone(opened(address, **headers))


def test_a_code_that_nobody_has_keeps_its_page(brand):
    with nothing_written():
        response = opened("/plans?ref=nobody")

    assert response.content == b"the host's page"
    assert not response.cookies


def test_a_link_that_nobody_has_leads_to_the_default_url(brand):
    with nothing_written():
        response = opened(f"/aff/{'0' * 40}")

    assert response["Location"] == "https://shop.example.com/"
    assert not response.cookies


def test_arrivals_are_counted_as_visits_are(link, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"visit": "1/minute"}
    opened(f"/aff/{link.hash}", REMOTE_ADDR="203.0.113.7")

    response = opened(f"/aff/{link.hash}", REMOTE_ADDR="203.0.113.8")

    assert is_left_alone(response)
    assert Click.objects.count() == 1


def test_a_fault_breaks_no_page(link, monkeypatch, caplog):
    def fail(**_):
        raise OperationalError("gone")

    monkeypatch.setattr(arrivals, "track_visit", fail)

    assert is_left_alone(opened(f"/aff/{link.hash}"))
    assert "An arrival was not recorded" in caplog.text


def test_a_brand_may_heed_global_privacy_control(brand, link):
    held = opened(f"/aff/{link.hash}").cookies["referral_cookie"].value
    brand.privacy_control = PrivacyControl.REFUSAL
    brand.save()

    response = opened(f"/aff/{link.hash}", cookie=held, HTTP_SEC_GPC="1")

    assert response["Location"] == "https://shop.example.com/plans"
    assert response.cookies["referral_cookie"]["max-age"] == 0
    consents = Click.objects.order_by("pk").values_list("consent", flat=True)
    assert list(consents) == [Consent.NOT_ASKED, Consent.DENIED]


def who_say(answer):
    class Asking(ReferralCookieMiddleware):
        def has_consent(self, request):
            return answer

    return Asking


@pytest.fixture
def asking(brand):
    brand.consent = ConsentRule.REQUIRED
    brand.save()


@pytest.mark.usefixtures("asking")
def test_an_arrival_awaits_the_visitors_decision(link):
    with nothing_written():
        response = opened(f"/aff/{link.hash}?x=1", cookie="held")

    assert is_left_alone(response)


@pytest.mark.usefixtures("asking")
def test_who_agrees_is_tracked(link):
    response = opened(f"/aff/{link.hash}", middleware=who_say(True))

    assert response.cookies["referral_cookie"]["max-age"] == 7_776_000
    assert Click.objects.get().consent == Consent.GRANTED


@pytest.mark.usefixtures("asking")
def test_who_refuses_is_led_on_and_counted_without_a_person(link):
    response = opened(f"/aff/{link.hash}", middleware=who_say(False))

    assert response["Location"] == "https://shop.example.com/plans"
    assert not response.cookies
    click = Click.objects.get()
    assert (click.consent, click.visitor_id) == (Consent.DENIED, None)


def test_who_withdraws_loses_the_cookie_on_any_page(link):
    held = opened(f"/aff/{link.hash}").cookies["referral_cookie"].value

    response = opened("/plans", cookie=held, middleware=who_say(False))

    assert response.content == b"the host's page"
    assert response.cookies["referral_cookie"]["max-age"] == 0
    click = Click.objects.get()
    assert (click.consent, click.visitor_id) == (Consent.WITHDRAWN, None)


def test_who_refused_before_opens_pages_that_are_left_alone(link):
    with nothing_written():
        response = opened("/plans", middleware=who_say(False))

    assert is_left_alone(response)


def test_a_cookie_for_the_session_has_no_age(brand, link):
    brand.consent = ConsentRule.SESSION_ONLY
    brand.save()

    response = opened(f"/aff/{link.hash}")

    assert response.cookies["referral_cookie"]["max-age"] == ""


def test_it_works_in_an_asynchronous_host(link, affiliate):
    async def asynchronous_page(request):
        return page(request)

    middleware = ReferralCookieMiddleware(asynchronous_page)
    ask = async_to_sync(middleware)

    arrived = ask(RequestFactory().get(f"/aff/{link.hash}", **SHOP))
    alone = ask(RequestFactory().get("/plans", **SHOP))

    assert arrived["Location"] == "https://shop.example.com/plans"
    assert "referral_cookie" in arrived.cookies
    assert is_left_alone(alone)
    assert Click.objects.get().affiliate == affiliate


def test_a_client_is_bound_by_what_the_browser_brings_back(
    client, settings, link, affiliate, buyer, now, clock
):
    settings.ROOT_URLCONF = "tests.affiliates.api.test_arrivals"
    settings.MIDDLEWARE = ["affiliates.extending.middleware.ReferralCookieMiddleware"]
    client.get(f"/aff/{link.hash}", **SHOP, HTTP_USER_AGENT=BROWSER)
    request = client.get("/plans", **SHOP).wsgi_request

    client_registered(
        ClientRegistered(
            brand_id=affiliate.brand_id, client_id=str(buyer.pk), registered_at=now
        ),
        referral_cookie=referral_cookie(request),
        now=now,
    )

    assert ClientReferral.objects.get().affiliate == affiliate
