"""The referral cookie in the host's own requests and responses."""

from __future__ import annotations

from django.http import HttpResponse
from django.test import RequestFactory

from affiliates.cookies import referral_cookie, set_referral_cookie
from tests.cases import each

VALUE = "AQGyH4n0Zc-_" * 12


@each(
    ("cookies", "read"),
    [
        ({}, None),
        ({"referral_cookie": ""}, None),
        ({"referral_cookie": VALUE}, VALUE),
        ({"another": VALUE}, None),
    ],
)
def test_it_is_read_as_it_came(cookies, read):
    request = RequestFactory().get("/")
    request.COOKIES = cookies

    assert referral_cookie(request) == read


def test_it_has_the_name_and_domain_of_the_settings(settings):
    settings.AFFILIATES_COOKIE_NAME = "partner"
    settings.AFFILIATES_COOKIE_DOMAIN = "example.com"
    request, response = RequestFactory().get("/"), HttpResponse()
    request.COOKIES = {"partner": VALUE}

    set_referral_cookie(request, response, value="next", max_age=60)

    assert referral_cookie(request) == VALUE
    assert [*response.cookies] == ["partner"]
    assert response.cookies["partner"]["domain"] == "example.com"


@each("scheme", ["http", "https"])
def test_it_is_set_for_the_pages_own_domain_and_scripts(scheme):
    request = RequestFactory().get("/", secure=scheme == "https")
    response = HttpResponse()

    set_referral_cookie(request, response, value=VALUE, max_age=7_776_000)

    morsel = response.cookies["referral_cookie"]
    assert (morsel.value, morsel["max-age"]) == (VALUE, 7_776_000)
    assert (morsel["path"], morsel["domain"], morsel["samesite"]) == ("/", "", "Lax")
    assert bool(morsel["secure"]) == (scheme == "https")
    assert not morsel["httponly"]
    assert response["Cache-Control"] == "private, no-store"


@each(("held", "ended"), [({"referral_cookie": VALUE}, True), ({}, False)])
def test_without_a_value_the_held_one_ends(held, ended):
    request, response = RequestFactory().get("/"), HttpResponse()
    request.COOKIES = held

    set_referral_cookie(request, response, value=None, max_age=None)

    ages = [(one.value, one["max-age"]) for one in response.cookies.values()]
    assert ages == ([("", 0)] if ended else [])
