"""The page on which a client changes the password, by the old one."""

from __future__ import annotations

import pytest
from django.test import Client

from affiliates.emails.models import Email
from portal.clients.open_sessions import AuthToken, OpenSession
from portal.clients.services import _issue_token
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.portal import PASSWORD

SHOP = "shop.example.com"
HOME = "203.0.113.7"
PAGE = "/account/password"
NEW = "another-horse-entirely"


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


def log_in(user, *, at: str = "127.0.0.1", password: str = PASSWORD) -> Client:
    browser = Client(headers={"host": SHOP}, REMOTE_ADDR=at)
    browser.post("/login", {"email": user.email, "password": password})
    return browser


def change(browser: Client, *, old: str = PASSWORD, new: str = NEW):
    return browser.post(PAGE, {"old": old, "new": new})


def is_in(browser: Client) -> bool:
    return browser.get("/account").status_code == 200


def test_the_account_links_to_it(client):
    assert f'href="{PAGE}"' in log_in(client).get("/account").text


def test_strangers_are_asked_to_log_in(db):
    answer = Client(headers={"host": SHOP}).get(PAGE)

    assert answer["Location"] == "/login?next=/account/password"


def test_the_password_is_changed_and_everything_else_ends(client, other_client, now):
    here, elsewhere = log_in(client), log_in(client)
    for user in (client, other_client):
        _issue_token(user, now)
    key = here.session.session_key

    answer = change(here)

    assert (answer.status_code, answer["Location"]) == (302, f"{PAGE}?changed")
    page = here.get(answer["Location"]).text
    assert "Your password is changed. You are signed in only here." in page
    assert (is_in(here), is_in(elsewhere)) == (True, False)
    assert here.session.session_key != key
    assert OpenSession.objects.filter(user=client).count() == 1
    assert [token.user for token in AuthToken.objects.all()] == [other_client]
    assert (is_in(log_in(client)), is_in(log_in(client, password=NEW))) == (False, True)


def test_an_affiliate_is_notified(client):
    AffiliateFactory(brand=client.brand, user=client)

    change(log_in(client))

    [email] = Email.objects.all()
    assert (email.kind, email.recipient) == ("credentials_changed", client.email)
    assert (email.values["change"], email.values["is_by_staff"]) == ("password", False)


@each(
    ("given", "message"),
    [
        ({"old": "wrong"}, "Wrong password."),
        ({"old": ""}, "This field is required."),
        ({"new": ""}, "This field is required."),
        ({"new": "short"}, "This password is too short."),
        ({"new": "password1"}, "This password is too common."),
        ({"new": "affiliate1"}, "little more than a word of this site"),
        ({"new": "x" * 129}, "at most 128 characters"),
    ],
)
def test_it_stays_as_it_is_when(given, message, client):
    browser = log_in(client)

    answer = change(browser, **given)

    assert answer.status_code == 400
    assert message in answer.text
    assert is_in(browser)
    client.refresh_from_db()
    assert client.check_password(PASSWORD)


def test_tries_count_with_those_of_the_login(client):
    thief = log_in(client, at=HOME)
    for _ in range(10):
        assert change(thief, old="wrong").status_code == 400

    with nothing_written():
        refused = change(thief)

    assert (refused.status_code, refused["Retry-After"]) == (429, "900")
    assert "Wait 15 minutes, then try again." in refused.text
    client.refresh_from_db()
    assert client.check_password(PASSWORD)


def test_a_right_one_confirms_the_identity(client):
    browser = log_in(client)
    session = browser.session
    session["confirmed_at"] = 0
    session.save()

    change(browser)

    assert browser.session["confirmed_at"] > 0
