"""AFFILIATE_SECOND_FACTOR: the area opens only to affiliates who log in with a code."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from affiliates.contrib.area.base import LOOK_COOKIE
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.area.looks.services import ask_for_look
from portal import settings as portal_settings
from portal.middleware import SecondFactorMiddleware
from portal.storefront import second_factor
from tests.cases import each
from tests.factories.portal import StaffFactory
from tests.portal.second_factors import (
    NOW,
    PAGE,
    SHOP,
    authenticator_of,
    browser,
    give_password,
    log_in,
)

AREA = "/affiliate/"
LED = f"{PAGE}?next=%2Faffiliate%2F"


@pytest.fixture(autouse=True)
def demanded(settings, time_machine):
    settings.ALLOWED_HOSTS = [".example.com"]
    settings.AFFILIATE_SECOND_FACTOR = True
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def owner(affiliate):
    return affiliate.user


@pytest.fixture
def person(owner) -> Client:
    return give_password(owner)


@each("path", ["", "keys", "payouts?page=2", "destination/paypal", "program", "apply"])
def test_pages_lead_to_the_set_up(path, person):
    for ask in (person.get, person.post):
        answer = ask(f"{AREA}{path}")
        assert answer.status_code == 302
        wanted = quote(f"{AREA}{path}", safe="")
        assert answer["Location"] == f"{PAGE}?next={wanted}"


def test_the_set_up_says_why_and_leads_back(person):
    page = person.get(LED).text

    assert "The affiliate area pays out money." in page
    assert '<input type="hidden" name="next" value="/affiliate/">' in page


def test_a_code_opens_it(owner):
    person = log_in(owner, authenticator_of(owner))

    assert person.get(AREA).status_code == 200


def test_signing_out_the_language_and_pictures_stay_open(person):
    language = person.post(f"{AREA}language", {"language": "de", "next": "/"})
    assert language["Location"] == "/"
    assert person.get(f"{AREA}brand.css").status_code == 200
    assert person.get(f"{AREA}images/none.png").status_code == 404
    assert person.post(f"{AREA}sign-out").status_code == 302
    assert person.get("/account").status_code == 302


def test_pages_of_the_shop_stay_open(person):
    assert person.get("/account").status_code == 200


def test_clients_who_are_no_affiliates_may_apply(client):
    person = give_password(client)

    assert person.get(f"{AREA}program").status_code == 200
    assert person.get(f"{AREA}welcome").status_code == 200
    assert "affiliate area pays out" not in person.get(PAGE).text


def test_strangers_and_staff_are_not_led_to_it(affiliate):
    staff = browser()
    staff.force_login(StaffFactory(), "portal.clients.backends.EmailBackend")

    assert browser().get(AREA)["Location"] == f"/login?next={AREA}"
    assert staff.get(f"{AREA}program").status_code == 200


def test_by_default_it_is_not_demanded(person, settings):
    settings.AFFILIATE_SECOND_FACTOR = portal_settings.AFFILIATE_SECOND_FACTOR

    assert settings.AFFILIATE_SECOND_FACTOR is False
    assert person.get(AREA).status_code == 200
    assert "affiliate area pays out" not in person.get(PAGE).text


def test_keys_of_the_affiliate_go_on(affiliate):
    _, secret = give_key(
        affiliate_id=affiliate.pk,
        name="Sheet",
        scopes=[Scope.STATISTICS],
        expires_at=NOW.replace(year=2027),
        now=NOW,
    )
    caller = APIClient(HTTP_HOST=SHOP, HTTP_AUTHORIZATION=f"Bearer {secret}")

    assert caller.get("/api/affiliate/statistics").status_code == 200


def test_a_look_of_staff_goes_on_where_the_affiliate_is_signed_in(affiliate, person):
    staff = StaffFactory(is_superuser=True)
    address = ask_for_look(
        affiliate, reason="Asked", actor_id=staff.pk, now=timezone.now()
    )

    assert person.get(address)["Location"] == AREA
    assert "You see what" in person.get(AREA).text
    assert second_factor.LOOK_COOKIE == LOOK_COOKIE


@each("name", [LOOK_COOKIE, f"__Host-{LOOK_COOKIE}", f"x{LOOK_COOKIE}"])
def test_a_cookie_that_is_no_look_opens_nothing(name, person):
    for value in ("", "forged"):
        person.cookies.pop(LOOK_COOKIE, None)
        person.cookies[name] = value
        is_read = value and name == LOOK_COOKIE

        answer = person.get(AREA)

        assert answer.status_code == (403 if is_read else 302)
        assert answer.get("Location") == (None if is_read else LED)


@pytest.mark.parametrize("path", [AREA, "/admin/", "/basket"])
def test_an_asynchronous_server_gets_the_same_answers(path, owner, rf, settings):
    settings.STAFF_SECOND_FACTOR = True
    staff = StaffFactory()
    staff.is_verified = lambda: False

    async def respond(request):
        return HttpResponse("page")

    def answers(user) -> list[tuple[int, str]]:
        request = rf.get(path, headers={"host": "shop.example.com"})
        request.user = user
        sync = SecondFactorMiddleware(lambda request: HttpResponse("page"))(request)
        answer = async_to_sync(SecondFactorMiddleware(respond))(request)
        return [(one.status_code, one.get("Location", "")) for one in (sync, answer)]

    for user in (owner, staff, AnonymousUser()):
        first, second = answers(user)
        assert first == second
    led = {AREA: LED, "/admin/": "", "/basket": ""}[path]
    assert answers(owner)[0][1] == led
