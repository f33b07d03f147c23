"""Sessions and tokens, listed and ended by their owner."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.auth.hashers import make_password
from django.test import Client

from portal.clients.open_sessions import AuthToken, OpenSession, browser_in_words
from portal.clients.services import _issue_token
from tests.factories.portal import PASSWORD, StaffFactory
from tests.guard.markers import marker

SHOP = "shop.example.com"
BACKEND = "portal.clients.backends.ClientBackend"
PAGES = {"client": "/account/sessions", "staff": "/admin/sessions/"}
FIREFOX = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 "
    + marker("client", "agent")
)
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/142.0.0.0 Safari/537.36"
)
BEGUN = datetime(2026, 11, 26, 18, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


@pytest.fixture(params=PAGES)
def owner(request, client):
    return client if request.param == "client" else StaffFactory()


@pytest.fixture
def path(owner):
    return PAGES["client" if owner.brand_id else "staff"]


def log_in(user, agent: str = FIREFOX) -> Client:
    browser = Client(headers={"host": SHOP, "user-agent": agent})
    form = {"email": user.email, "username": user.email, "password": PASSWORD}
    browser.post("/login" if user.brand_id else "/admin/login/", form)
    return browser


def listed(browser: Client, path: str) -> list[str]:
    page = browser.get(path).content.decode()
    return re.findall(r"<strong>([^<]+)</strong>", page)


def names(browser: Client, path: str) -> list[str]:
    return re.findall(r'name="end" value="(\w+)"', browser.get(path).content.decode())


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (CHROME, "Chrome on Windows"),
        (f"{CHROME} Edg/142.0.0.0", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Safari/605", "Safari on macOS"),
        (
            "Mozilla/5.0 (iPhone; like Mac OS X) CriOS/142 Safari/604",
            "Chrome on iPhone",
        ),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/142 Safari/537", "Chrome on Android"),
        ("curl/8.5", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_browsers_are_named_in_words(agent, words):
    assert browser_in_words(agent) == words


def test_each_session_has_its_browser_and_this_one_is_first(owner, path):
    first = log_in(owner)
    second = log_in(owner, CHROME)

    assert listed(first, path) == ["Firefox on Linux", "Chrome on Windows"]
    assert listed(second, path) == ["Chrome on Windows", "Firefox on Linux"]
    assert first.get(path).content.decode().count("(this browser)") == 1


def test_a_page_of_the_owner_alone_shows_no_key_of_a_session(client, other_client):
    browser = log_in(client)
    log_in(other_client)
    page = browser.get(PAGES["client"]).content.decode()

    assert len(names(browser, PAGES["client"])) == 1
    assert not [one for one in OpenSession.objects.all() if one.pk in page]


def test_begun_and_last_used_to_five_minutes(client):
    with time_machine.travel(BEGUN, tick=False):
        browser = log_in(client)
    for minutes in (2, 4):
        with time_machine.travel(BEGUN + timedelta(minutes=minutes), tick=False):
            browser.get("/account")
    row = OpenSession.objects.get()
    assert (row.begun_at, row.seen_at, row.user_id) == (BEGUN, BEGUN, client.pk)

    later = BEGUN + timedelta(minutes=5)
    with time_machine.travel(later, tick=False):
        browser.get("/account")
        browser.get("/account")

    row.refresh_from_db()
    assert (row.begun_at, row.seen_at) == (BEGUN, later)


def test_one_is_ended_and_the_others_go_on(owner, path):
    first, second = log_in(owner), log_in(owner, CHROME)
    [_this, other] = names(first, path)

    answer = first.post(path, {"end": other})

    assert (answer.status_code, answer["Location"]) == (302, f"{path}?ended")
    assert listed(first, path) == ["Firefox on Linux"]
    assert second.get(path).status_code == 302


def test_ending_this_one_logs_out(owner, path):
    browser = log_in(owner)

    browser.post(path, {"end": names(browser, path)[0]})

    assert not OpenSession.objects.filter(user=owner).exists()
    assert browser.get(path).status_code == 302


def test_all_others_are_ended_with_the_tokens(client, other_client, now):
    first, second, another = log_in(client), log_in(client), log_in(other_client)
    _issue_token(client, datetime.now(tz=UTC))
    _issue_token(other_client, datetime.now(tz=UTC))
    path = PAGES["client"]
    assert listed(first, path)[-1] == "A page or program that uses the API"

    first.post(path, {"others": "1"})

    assert listed(first, path) == ["Firefox on Linux"]
    assert second.get(path).status_code == 302
    assert len(listed(another, path)) == 2
    assert [token.user for token in AuthToken.objects.all()] == [other_client]


def test_a_token_is_ended_by_its_name(client):
    browser = log_in(client)
    _issue_token(client, datetime.now(tz=UTC))
    path = PAGES["client"]

    browser.post(path, {"end": names(browser, path)[1]})

    assert not AuthToken.objects.exists()
    assert browser.get(path).status_code == 200


def test_nobody_ends_anothers(client, other_client):
    browser, another = log_in(client), log_in(other_client)

    another.post(PAGES["client"], {"end": names(browser, PAGES["client"])[0]})
    another.post(PAGES["client"], {"end": ""})

    assert browser.get("/account").status_code == 200
    assert OpenSession.objects.count() == 2


def test_a_changed_password_ends_them(client):
    browser = log_in(client)
    client.password = make_password("another-horse-entirely")
    client.save(update_fields=["password"])

    assert not OpenSession.objects.filter(user=client).exists()
    assert browser.get("/account").status_code == 302


def test_staff_who_change_their_own_stay_in_here_alone(db):
    staff = StaffFactory()
    first, second = log_in(staff), log_in(staff)
    new = "another-horse-entirely"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}

    assert first.post("/admin/password_change/", form).status_code == 302

    assert listed(first, PAGES["staff"]) == ["Firefox on Linux"]
    assert second.get(PAGES["staff"]).status_code == 302
    assert OpenSession.objects.filter(user=staff).count() == 1


@pytest.mark.parametrize("path", PAGES.values())
def test_nobody_sees_any_without_a_login(path, db):
    answer = Client(headers={"host": SHOP}).get(path)

    assert answer.status_code == 302
    assert "login" in answer["Location"]
