"""The area takes no form without its token, on hosts with and without the middleware."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from django.test import Client

from affiliates.contrib.area.base import LOOK_COOKIE, BrandPage
from affiliates.contrib.area.urls import urlpatterns
from affiliates.payouts.models import PayoutDestination
from tests.database import nothing_written

pytestmark = pytest.mark.django_db
CSRF = "django.middleware.csrf.CsrfViewMiddleware"
PAGE = "/affiliate/destination/paypal"
GIVEN = {"email": "partner@example.org", "is_confirmed": "on"}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@pytest.fixture
def browser(affiliate, settings, has_middleware) -> Client:
    others = [one for one in settings.MIDDLEWARE if "Csrf" not in one]
    settings.MIDDLEWARE = [CSRF, *others] if has_middleware else others
    browser = Client(enforce_csrf_checks=True, headers={"host": "shop.example.com"})
    browser.force_login(affiliate.user)
    browser.get("/affiliate/program")
    return browser


both = pytest.mark.parametrize("has_middleware", [True, False])


@both
def test_a_destination_is_not_changed_without_the_token(browser):
    with nothing_written():
        answer = browser.post(PAGE, GIVEN)

    assert answer.status_code == 403
    assert "Nothing was saved: your browser did not send the cookie" in answer.text
    assert PayoutDestination.objects.count() == 0


@both
def test_a_destination_is_changed_by_the_pages_own_form(browser):
    token = TOKEN.search(browser.get(PAGE).text)[1]

    answer = browser.post(PAGE, {**GIVEN, "csrfmiddlewaretoken": token})

    assert answer.status_code == 302
    assert PayoutDestination.objects.get().hint == "p…@example.org"


@both
def test_the_language_is_not_chosen_without_the_token(browser):
    assert browser.post("/affiliate/language", {"language": "de"}).status_code == 403


@both
def test_log_of_a_refused_form_holds_no_token_of_a_link(browser, caplog):
    assert browser.post("/affiliate/invitation/secret-of-a-link").status_code == 403

    own = [vars(one) for one in caplog.records if one.name.startswith("affiliates")]
    assert "secret-of-a-link" not in str(own)


def pages():
    """The address of each page of the area, with a made-up id where it takes one."""
    ids = {"int": "1", "uuid": str(UUID(int=1))}
    for pattern in urlpatterns:
        view = getattr(pattern.callback, "view_class", None)
        if view is not None and issubclass(view, BrandPage):
            route = str(pattern.pattern)
            path = re.sub(r"<(?:(\w+):)?\w+>", lambda m: ids.get(m[1], "x"), route)
            yield view, f"/affiliate/{path}"


def test_every_page_refuses_a_form_without_the_token_from_a_stranger(brand):
    stranger = Client(enforce_csrf_checks=True, headers={"host": "shop.example.com"})
    tried = list(pages())

    answers = [(path, stranger.post(path, {"a": "b"}).status_code) for _, path in tried]

    assert [answer for answer in answers if answer[1] != 403] == []
    assert len(tried) > 30


def test_every_page_says_that_a_look_has_ended_and_forgets_it(affiliate):
    staff = Client(headers={"host": "shop.example.com"})
    answers = []

    for view, path in pages():
        if view.answer_or_refuse is not BrandPage.answer_or_refuse:
            continue  # Those that begin and end a look, and choose the language.
        staff.cookies[LOOK_COOKIE] = "of-a-look-that-has-ended"
        answer = staff.get(path)
        cookie = answer.cookies.get(LOOK_COOKIE)
        answers.append((path, answer.status_code, cookie and cookie["max-age"]))

    assert [answer for answer in answers if answer[1:] != (403, 0)] == []
