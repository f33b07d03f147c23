"""What ends a session without its owner, and what ends with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from rest_framework.test import APIClient

from affiliates.errors import InvalidInput
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken, OpenSession
from portal.clients.services import issue_token
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory
from tests.factories.portal import PASSWORD, StaffFactory

SHOP = "shop.example.com"
BEGUN = datetime(2026, 11, 26, 18, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
PAGES = {"client": "/account", "staff": "/admin/sessions/"}
LIMITS = {
    "client": (timedelta(hours=24), timedelta(days=14)),
    "staff": (timedelta(hours=1), timedelta(hours=12)),
}


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


@pytest.fixture
def clock():
    with time_machine.travel(BEGUN, tick=False) as clock:
        yield clock


@pytest.fixture(params=PAGES)
def kind(request) -> str:
    return str(request.param)


@pytest.fixture
def owner(kind, client) -> User:
    return client if kind == "client" else StaffFactory()


def log_in(user: User) -> Client:
    browser = Client(headers={"host": SHOP})
    form = {"email": user.email, "username": user.email, "password": PASSWORD}
    answer = browser.post("/login" if user.brand_id else "/admin/login/", form)
    assert answer.status_code == 302
    return browser


def is_in(browser: Client, kind: str = "client") -> bool:
    return browser.get(PAGES[kind]).status_code == 200


def token_of(browser: Client) -> str:
    return str(browser.post("/account/token").json()["data"]["token"])


def may_speak(token: str) -> bool:
    api = APIClient(HTTP_HOST=SHOP, HTTP_AUTHORIZATION=f"Bearer {token}")
    return api.get("/api/account_credit").status_code == 200


def test_an_unused_session_ends(kind, owner, clock):
    idle, _ = LIMITS[kind]
    used, unused = log_in(owner), log_in(owner)

    clock.move_to(BEGUN + idle - SECOND)
    assert is_in(used, kind)
    clock.move_to(BEGUN + idle)

    assert is_in(used, kind)
    assert not is_in(unused, kind)


def test_a_session_ends_however_much_it_is_used(kind, owner, clock):
    idle, whole = LIMITS[kind]
    browser, step = log_in(owner), idle - timedelta(minutes=10)

    moment = BEGUN
    while (moment := moment + step) < BEGUN + whole:
        clock.move_to(moment)
        assert is_in(browser, kind)
    clock.move_to(BEGUN + whole - SECOND)
    assert is_in(browser, kind)
    clock.move_to(BEGUN + whole)

    assert not is_in(browser, kind)


def test_both_times_are_settings(kind, owner, clock, settings):
    setattr(settings, f"{kind.upper()}_SESSION_IDLE_SECONDS", 1_200)
    setattr(settings, f"{kind.upper()}_SESSION_SECONDS", 1_800)
    used, unused = log_in(owner), log_in(owner)

    clock.move_to(BEGUN + timedelta(seconds=1_199))
    assert is_in(used, kind)
    clock.move_to(BEGUN + timedelta(seconds=1_200))
    assert not is_in(unused, kind)
    clock.move_to(BEGUN + timedelta(seconds=1_799))
    assert is_in(used, kind)
    clock.move_to(BEGUN + timedelta(seconds=1_800))

    assert not is_in(used, kind)


@each("idle", [12, 300])
def test_a_short_idle_time_ends_no_session_in_use(idle, kind, owner, clock, settings):
    setattr(settings, f"{kind.upper()}_SESSION_IDLE_SECONDS", idle)
    used, unused = log_in(owner), log_in(owner)

    for number in range(1, 6):
        clock.move_to(BEGUN + timedelta(seconds=idle * number / 2))
        assert is_in(used, kind)

    assert not is_in(unused, kind)


def test_the_eleventh_session_ends_the_one_unused_for_longest(
    kind, owner, clock, other_client
):
    elsewhere = log_in(other_client)
    browsers = []
    for minute in range(10):
        clock.move_to(BEGUN + timedelta(minutes=minute))
        browsers.append(log_in(owner))
    clock.move_to(BEGUN + timedelta(minutes=20))
    assert is_in(browsers[0], kind)

    browsers.append(log_in(owner))

    assert [is_in(one, kind) for one in browsers] == [True, False, *[True] * 9]
    assert OpenSession.objects.filter(user=owner).count() == 10
    assert is_in(elsewhere)


def sign_out_of_the_shop(browser: Client) -> None:
    assert browser.post("/logout").status_code == 302


def sign_out_of_the_area(browser: Client) -> None:
    assert browser.post("/affiliate/sign-out").status_code == 302


def end_it_in_the_list(browser: Client) -> None:
    [this, *_] = browser.get("/account/sessions").context["logins"]
    assert browser.post("/account/sessions", {"end": this.name}).status_code == 302


@each("end", [sign_out_of_the_shop, sign_out_of_the_area, end_it_in_the_list])
def test_its_tokens_end_with_a_session(end: Callable[[Client], None], client):
    here, there = log_in(client), log_in(client)
    tokens = [token_of(here), token_of(here), token_of(there)]
    assert [may_speak(token) for token in tokens] == [True, True, True]

    end(here)

    assert [may_speak(token) for token in tokens] == [False, False, True]


def test_a_token_ends_with_a_session_that_no_job_has_deleted(client, clock):
    browser = log_in(client)
    clock.move_to(BEGUN + timedelta(hours=1))
    token = token_of(browser)
    OpenSession.objects.update(expire_date=BEGUN + timedelta(hours=2))

    clock.move_to(BEGUN + timedelta(hours=2) - SECOND)
    assert may_speak(token)
    clock.move_to(BEGUN + timedelta(hours=2))

    assert not may_speak(token)


def test_a_token_stays_when_the_session_gets_a_new_key(client):
    browser = log_in(client)
    token = token_of(browser)
    former = OpenSession.objects.get().pk

    answer = browser.post("/account/confirm", {"password": PASSWORD})

    assert answer.status_code == 302
    assert OpenSession.objects.get().pk != former
    assert may_speak(token)
    browser.post("/logout")
    assert not may_speak(token)


def test_no_token_is_issued_to_a_session_that_has_just_ended(client, now):
    with pytest.raises(InvalidInput):
        issue_token(client, now=now, session_key="ended")

    assert not AuthToken.objects.exists()


@pytest.mark.parametrize("path", ["/logout", "/affiliate/sign-out", "/admin/logout/"])
def test_logging_out_lets_the_browser_forget_what_it_keeps(path, client):
    AffiliateFactory(user=client, brand=client.brand)
    user = StaffFactory() if path.startswith("/admin/") else client

    by_https = log_in(user).post(path, secure=True)
    by_http = log_in(user).post(path)

    assert by_https.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert "Clear-Site-Data" not in by_http.headers


def test_ending_this_session_in_the_list_does_too(kind, owner):
    path = {"client": "/account/sessions", "staff": "/admin/sessions/"}[kind]
    browser = log_in(owner)
    page = browser.get(path, secure=True)
    [this] = page.context["logins"]

    answer = browser.post(path, {"end": this.name}, secure=True)

    assert "Clear-Site-Data" not in page.headers
    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'


def test_pages_of_a_client_are_not_kept(client):
    assert "no-store" in log_in(client).get("/").headers["Cache-Control"]


def test_the_documented_times_are_those_of_the_settings(settings):
    page = (Path(settings.BASE_DIR) / "docs/security-logins.md").read_text("utf-8")
    written = re.findall(r"(\d+) (hours?|days|minutes) \(`(\w+_SECONDS)`\)", page)
    seconds = {
        name: timedelta(**{f"{unit.rstrip('s')}s": int(number)}).total_seconds()
        for number, unit, name in written
    }

    assert seconds == {
        "CLIENT_SESSION_IDLE_SECONDS": settings.CLIENT_SESSION_IDLE_SECONDS,
        "CLIENT_SESSION_SECONDS": settings.CLIENT_SESSION_SECONDS,
        "STAFF_SESSION_IDLE_SECONDS": settings.STAFF_SESSION_IDLE_SECONDS,
        "STAFF_SESSION_SECONDS": settings.STAFF_SESSION_SECONDS,
        "CONFIRMATION_SECONDS": settings.CONFIRMATION_SECONDS,
    }
