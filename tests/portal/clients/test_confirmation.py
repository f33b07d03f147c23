"""Who is logged in gives the password again before what a thief would do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django_otp.oath import totp
from rest_framework.test import APIClient

from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.payouts.models import PayoutDestination
from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from portal.clients.second_factor import renew_codes
from portal.clients.services import _issue_token
from tests.factories.affiliates import AffiliateFactory
from tests.factories.portal import PASSWORD, StaffFactory

SHOP = "shop.example.com"
BEGUN = datetime(2026, 11, 26, 18, 0, tzinfo=UTC)
FRESH, STALE = BEGUN + timedelta(minutes=14), BEGUN + timedelta(minutes=16)
NEW = "another-horse-entirely"
DESTINATION = "/affiliate/destination/paypal"
PAYPAL = {"email": "ada@example.com", "is_confirmed": "on"}
KEY = {"name": "Sheet", "scopes": ["statistics"], "days": "30"}


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


@pytest.fixture
def owner(client):
    AffiliateFactory(user=client, brand=client.brand)
    return client


@pytest.fixture
def superuser(db):
    return StaffFactory()


def log_in(user: User) -> Client:
    browser = Client(headers={"host": SHOP})
    form = {"email": user.email, "username": user.email, "password": PASSWORD}
    with time_machine.travel(BEGUN, tick=False):
        answer = browser.post("/login" if user.brand_id else "/admin/login/", form)
    assert answer.status_code == 302
    return browser


def at(moment: datetime, ask, *args):
    with time_machine.travel(moment, tick=False):
        return ask(*args)


@pytest.mark.parametrize("path", [DESTINATION, "/affiliate/keys/new"])
def test_the_area_asks_after_a_quarter_of_an_hour(path, owner):
    browser = log_in(owner)

    assert at(FRESH, browser.get, path).status_code == 200
    answer = at(STALE, browser.get, path)
    assert answer.status_code == 302
    assert answer["Location"] == f"/account/confirm?next={path.replace('/', '%2F')}"


def test_the_password_leads_back_and_holds_for_as_long_again(owner):
    browser = log_in(owner)
    asked = at(STALE, browser.get, DESTINATION)["Location"]

    assert at(STALE, browser.get, asked).status_code == 200
    form = {"password": PASSWORD, "next": DESTINATION}
    answer = at(STALE, browser.post, asked, form)

    assert (answer.status_code, answer["Location"]) == (302, DESTINATION)
    assert (
        at(STALE + timedelta(minutes=14), browser.get, DESTINATION).status_code == 200
    )
    assert (
        at(STALE + timedelta(minutes=15), browser.get, DESTINATION).status_code == 302
    )


def test_a_form_sent_too_late_changes_nothing(owner):
    browser = log_in(owner)

    assert at(STALE, browser.post, DESTINATION, PAYPAL).status_code == 400
    assert at(STALE, browser.post, "/affiliate/keys/new", KEY).status_code == 400
    assert not PayoutDestination.objects.exists()
    assert not AffiliateKey.objects.exists()

    assert at(FRESH, browser.post, DESTINATION, PAYPAL)["Location"].endswith("ation")
    assert PayoutDestination.objects.count() == 1


def test_a_form_sent_too_late_is_saved_once_the_identity_is_confirmed(owner):
    browser = log_in(owner)
    shown = at(STALE, browser.post, DESTINATION, PAYPAL)
    question = f"/account/confirm?next={DESTINATION.replace('/', '%2F')}"
    assert f'<a href="{question}" target="_blank">' in shown.content.decode()
    assert 'value="ada@example.com"' in shown.content.decode()

    at(STALE, browser.post, question, {"password": PASSWORD, "next": DESTINATION})
    answer = at(STALE, browser.post, DESTINATION, PAYPAL)

    assert answer["Location"] == "/affiliate/destination"
    assert PayoutDestination.objects.count() == 1


def test_a_wrong_password_says_so_and_opens_nothing(owner):
    browser = log_in(owner)

    answer = at(STALE, browser.post, "/account/confirm", {"password": "wrong"})

    assert answer.status_code == 400
    assert "Wrong password." in answer.content.decode()
    assert at(STALE, browser.get, DESTINATION).status_code == 302


def test_it_leads_to_no_other_site(owner):
    form = {"password": PASSWORD, "next": "https://evil.example.net/"}

    answer = at(STALE, log_in(owner).post, "/account/confirm", form)

    assert answer["Location"] == "/account"


def test_tries_are_counted_with_logins(owner, settings):
    settings.AXES_FAILURE_LIMIT = 3
    browser = log_in(owner)
    wrong = {"password": "wrong"}

    found = [
        at(STALE, browser.post, "/account/confirm", wrong).status_code
        for _try in range(4)
    ]
    login = {"email": owner.email, "password": PASSWORD}
    elsewhere = Client(headers={"host": SHOP})

    assert found == [400, 400, 400, 429]
    assert at(STALE, elsewhere.post, "/login", login).status_code == 429


def test_staff_are_asked_before_they_change_a_password_or_destination(owner, superuser):
    browser = log_in(superuser)
    affiliate = owner.affiliate_profiles.get()
    paths = [
        f"/admin/portal/user/{owner.pk}/password/",
        f"/admin/affiliates/affiliate/{affiliate.pk}/destination/",
        "/admin/password_change/",
    ]

    assert [at(FRESH, browser.get, path).status_code for path in paths] == [200] * 3
    answers = [at(STALE, browser.get, path) for path in paths]

    assert [one["Location"].partition("?")[0] for one in answers] == [
        "/admin/confirm/"
    ] * 3


def test_a_password_of_somebody_else_is_not_changed_too_late(owner, superuser):
    browser = log_in(superuser)
    form = {"usable_password": "true", "password1": NEW, "password2": NEW}
    path = f"/admin/portal/user/{owner.pk}/password/"

    at(STALE, browser.post, path, form)

    assert User.objects.get(pk=owner.pk).password == owner.password


def test_another_email_is_asked_about_on_the_form_itself(owner, superuser):
    browser = log_in(superuser)
    path = f"/admin/portal/user/{owner.pk}/change/"
    form = {
        "email": "other@example.com",
        "firstname": "Grace",
        "lastname": owner.lastname,
        "is_active": "on",
    }

    answer = at(STALE, browser.post, path, form)

    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'href="/admin/confirm/"' in page
    assert 'value="Grace"' in page
    assert User.objects.get(pk=owner.pk).email == owner.email

    at(STALE, browser.post, "/admin/confirm/", {"password": PASSWORD})
    assert at(STALE, browser.post, path, form).status_code == 302
    assert User.objects.get(pk=owner.pk).email == "other@example.com"


@pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
def test_rights_are_not_given_too_late(field, superuser):
    other = StaffFactory(is_superuser=False)
    form = {"email": other.email, "is_active": "on", "is_staff": "on", field: "on"}
    if field == "is_staff":
        del form["is_staff"]

    answer = at(
        STALE, log_in(superuser).post, f"/admin/portal/user/{other.pk}/change/", form
    )

    stored = User.objects.get(pk=other.pk)
    assert answer.status_code == 200
    assert (stored.is_staff, stored.is_superuser) == (True, False)


def test_nobody_is_added_too_late(superuser):
    form = {
        "email": "new@example.com",
        "is_staff": "on",
        "usable_password": "true",
        "password1": NEW,
        "password2": NEW,
    }
    browser = log_in(superuser)

    assert at(STALE, browser.post, "/admin/portal/user/add/", form).status_code == 302
    assert not User.objects.filter(email="new@example.com").exists()

    at(FRESH, browser.post, "/admin/portal/user/add/", form)
    assert User.objects.filter(email="new@example.com").exists()


def test_the_second_factor_is_not_managed_too_late(superuser, settings):
    settings.STAFF_SECOND_FACTOR = True
    browser = log_in(superuser)
    device = Authenticator.objects.create(user=superuser, name="Phone", confirmed=True)
    code = at(BEGUN, lambda: f"{totp(device.bin_key):06}")
    at(BEGUN, browser.post, "/admin/second-factor/", {"code": code})

    answer = at(STALE, browser.post, "/admin/second-factor/", {"anew": "1"})

    assert answer["Location"].startswith("/admin/confirm/?next=")
    assert Authenticator.objects.filter(user=superuser, confirmed=True).exists()


def test_other_fields_are_saved_without_a_question(owner, superuser):
    browser = log_in(superuser)
    form = {"email": owner.email, "firstname": "Grace", "is_active": "on"}

    answer = at(STALE, browser.post, f"/admin/portal/user/{owner.pk}/change/", form)

    assert answer.status_code == 302
    assert User.objects.get(pk=owner.pk).firstname == "Grace"


def test_staff_with_a_second_factor_give_a_code_too(superuser, settings):
    settings.STAFF_SECOND_FACTOR = True
    browser = log_in(superuser)
    device = Authenticator.objects.create(user=superuser, name="Phone", confirmed=True)
    code = at(BEGUN, lambda: f"{totp(device.bin_key):06}")
    at(BEGUN, browser.post, "/admin/second-factor/", {"code": code})
    code = at(STALE, lambda: f"{totp(device.bin_key):06}")

    def confirm(**given):
        return at(STALE, browser.post, "/admin/confirm/", given).status_code

    assert confirm(password=PASSWORD) == 400
    assert confirm(password="wrong", code=code) == 400
    assert at(STALE, browser.get, "/admin/password_change/").status_code == 302
    assert confirm(password=PASSWORD, code=code) == 302
    assert at(STALE, browser.get, "/admin/password_change/").status_code == 200


def test_a_recovery_code_is_taken_as_it_was_shown(superuser, settings):
    settings.STAFF_SECOND_FACTOR = True
    browser = log_in(superuser)
    Authenticator.objects.create(user=superuser, name="Phone", confirmed=True)
    first, second, *_ = renew_codes(superuser)
    at(BEGUN, browser.post, "/admin/second-factor/", {"code": first})

    given = {"password": PASSWORD, "code": second}
    assert at(STALE, browser.post, "/admin/confirm/", given).status_code == 302
    assert at(STALE, browser.post, "/admin/confirm/", given).status_code == 400


def api(user: User) -> APIClient:
    with time_machine.travel(BEGUN, tick=False):
        token = _issue_token(user, BEGUN)
    return APIClient(
        HTTP_HOST=SHOP,
        HTTP_ORIGIN=f"https://{SHOP}",
        HTTP_AUTHORIZATION=f"Bearer {token}",
    )


@pytest.mark.parametrize(
    ("method", "path", "body", "done"),
    [
        (
            "put",
            "/api/affiliate/payout_destination",
            {"kind": "paypal", "email": "ada@example.com"},
            200,
        ),
        (
            "post",
            "/api/affiliate/keys",
            {"name": "Mine", "scopes": ["statistics"]},
            201,
        ),
    ],
)
def test_the_api_takes_a_fresh_token_or_the_password(method, path, body, done, owner):
    call = getattr(api(owner), method)

    def answer(moment, **more):
        response = at(moment, lambda: call(path, {**body, **more}, format="json"))
        fault = response.json().get("errors", [{}])[0]
        return response.status_code, fault.get("code"), fault.get("attr")

    assert answer(STALE) == (400, "required", "current_password")
    wrong = (400, "invalid_credentials", "current_password")
    assert answer(STALE, current_password="wrong") == wrong
    assert not PayoutDestination.objects.exists()
    assert not AffiliateKey.objects.exists()
    assert answer(STALE, current_password=PASSWORD) == (done, None, None)
    assert answer(FRESH) == (done, None, None)


def test_a_token_of_a_session_is_as_fresh_as_its_password(owner):
    browser = log_in(owner)
    token = at(STALE, browser.post, "/account/token").json()["data"]["token"]
    call = APIClient(
        HTTP_HOST=SHOP,
        HTTP_ORIGIN=f"https://{SHOP}",
        HTTP_AUTHORIZATION=f"Bearer {token}",
    )

    answer = at(
        STALE,
        lambda: call.post(
            "/api/affiliate/keys",
            {"name": "Mine", "scopes": ["statistics"]},
            format="json",
        ),
    )

    assert answer.status_code == 400
    assert not AffiliateKey.objects.exists()
