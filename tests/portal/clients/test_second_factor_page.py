"""A client's page that sets up, renews and switches off the second factor."""

from __future__ import annotations

import re
from base64 import b32decode
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.apps import apps
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from affiliates.emails.models import Email
from portal.clients.authenticators import Authenticator
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken, OpenSession
from portal.clients.second_factor import (
    WRONG,
    has_factor,
    renew_codes,
    shown_device,
    switch_on,
)
from portal.clients.services import _issue_token, check_credentials, issue_token
from portal.clients.sessions import begin
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.portal import PASSWORD, StaffFactory
from tests.portal.second_factors import (
    CODE_PAGE,
    NOW,
    PAGE,
    authenticator_of,
    browser,
    code_of,
    give_password,
    is_in,
    log_in,
)
from tests.races import at_once, needs_postgresql


@pytest.fixture(autouse=True)
def shop(settings, time_machine):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]
    time_machine.move_to(NOW, tick=False)


@pytest.fixture
def person(client) -> Client:
    return give_password(client)


@pytest.fixture
def device(client) -> Authenticator:
    return authenticator_of(client)


def key_in(page: str) -> bytes:
    [key] = re.findall(r'<code class="key">([A-Z2-7]{32})</code>', page)
    return b32decode(key)


def code_by(key: bytes) -> str:
    return f"{totp(key):06}"


def codes_in(page: str) -> list[str]:
    return re.findall(r"<li><code>((?:[a-z2-7]{4}-?){6})</code></li>", page)


def set_up(person: Client):
    key = key_in(person.get(PAGE).text)
    return person.post(PAGE, {"code": code_by(key), "next": "/basket"})


def test_the_account_links_to_it(person):
    assert f'href="{PAGE}"' in person.get("/account").text


def test_strangers_are_asked_to_log_in(db):
    answer = browser().get(PAGE)

    assert answer["Location"] == f"/login?next={PAGE}"
    assert not Authenticator.objects.exists()


def test_a_guest_has_no_page_of_it(guest):
    person = browser()
    person.force_login(guest, "portal.clients.backends.ClientBackend")

    assert person.get(PAGE)["Location"] == f"/login?next={PAGE}"
    assert not Authenticator.objects.exists()


def test_a_right_code_switches_it_on_and_shows_ten_codes_once(client, person):
    page = person.get(PAGE).text
    answer = set_up(person)

    assert "<svg" in page
    assert "affiliate area pays out" not in page
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert "Sign-in with a code is on. You are signed in only here." in answer.text
    assert '<a class="button" href="/basket">' in answer.text
    codes = codes_in(answer.text)
    assert len(set(codes)) == StaticToken.objects.count() == 10
    assert TOTPDevice.objects.get().confirmed
    later = person.get(PAGE).text
    assert "10 recovery codes are left." in later
    assert codes_in(later) == []
    assert 'class="key"' not in later
    assert give_password(client).get("/account").status_code == 302


def test_the_codes_that_it_showed_let_in(client, person):
    [code, *_] = codes_in(set_up(person).text)

    other = give_password(client)
    assert other.post(CODE_PAGE, {"code": code}).status_code == 302
    assert is_in(other)


@each("typed", ["000000", "", "no"])
def test_a_wrong_code_leaves_it_off(typed, client, person):
    TOTPDevice.objects.update(throttling_failure_timestamp=None)
    key = key_in(person.get(PAGE).text)

    answer = person.post(PAGE, {"code": typed})

    assert answer.status_code == 400
    assert 'id="code-error"' in answer.text
    assert key_in(answer.text) == key
    assert not has_factor(client)
    assert not StaticToken.objects.exists()


def test_a_wrong_code_makes_the_next_wait(client, person, time_machine):
    key = key_in(person.get(PAGE).text)
    person.post(PAGE, {"code": "000000"})
    at_once = person.post(PAGE, {"code": code_by(key)})
    time_machine.move_to(NOW + timedelta(seconds=2), tick=False)

    assert str(WRONG) in at_once.text
    assert person.post(PAGE, {"code": code_by(key)}).status_code == 200
    assert has_factor(client)


def test_everything_else_ends(client, other_client, person):
    elsewhere = give_password(client)
    for user in (client, other_client):
        _issue_token(user, NOW)
    key = person.session.session_key

    set_up(person)

    assert (is_in(person), is_in(elsewhere)) == (True, False)
    assert person.session.session_key != key
    assert OpenSession.objects.filter(user=client).count() == 1
    assert [token.user for token in AuthToken.objects.all()] == [other_client]
    assert person.post("/account/token").status_code == 200


def test_a_login_under_way_by_the_password_alone_ends_too(client, person, rf):
    given = {"brand_id": client.brand_id, "email": client.email, "password": PASSWORD}
    # The password is right, and no factor was found: then it is switched on.
    by_api, by_page = (check_credentials(**given) for _ in range(2))
    set_up(person)

    with pytest.raises(Exception, match="Wrong e-mail or password"):
        issue_token(by_api, now=NOW)
    late = browser()
    request = rf.get("/")
    request.session = late.session
    begin(request, by_page)
    request.session.save()
    late.cookies["sessionid"] = request.session.session_key

    assert not AuthToken.objects.exists()
    assert not is_in(late)


def test_another_session_is_shown_another_key(client, person):
    """Who has once seen a key, and set nothing up, knows nothing of a later one."""
    seen = key_in(person.get(PAGE).text)
    again = key_in(person.get(PAGE).text)
    owner = give_password(client)

    shown = key_in(owner.get(PAGE).text)
    answer = person.post(PAGE, {"code": code_by(seen)})

    assert (again, shown == seen) == (seen, False)
    assert answer.status_code == 400
    assert not has_factor(client)


def test_one_that_is_on_is_not_set_up_again(client, person, device):
    key = shown_device({}, client)

    with nothing_written():
        assert switch_on(key, code_of(key)) is None
        answer = person.post(PAGE, {"code": code_of(key)})

    assert "It is on:" in answer.text


def test_the_database_holds_no_key_and_no_code(person):
    page = person.get(PAGE).text
    codes = [one.replace("-", "") for one in codes_in(set_up(person).text)]
    key = key_in(page)

    stored = " ".join(
        str(value)
        for model in apps.get_models()
        for row in model._base_manager.values_list()
        for value in row
    ).lower()
    assert len(codes) == 10
    assert not [one for one in (key.hex(), *codes) if one in stored]


def test_the_authenticator_names_the_brand(client, settings):
    shown = shown_device({}, client).config_url

    url = urlsplit(shown)
    assert url.scheme == "otpauth"
    assert parse_qs(url.query)["issuer"] == [client.brand.name]


def test_no_script_runs_beside_the_key(person):
    assert "<script" not in person.get(PAGE).text


def test_new_recovery_codes_replace_the_old(client, device):
    [old, other, *_] = renew_codes(client)
    person = give_password(client)
    person.post(CODE_PAGE, {"code": old})
    assert "9 recovery codes are left." in person.get(PAGE).text

    answer = person.post(PAGE, {"codes": "1"})

    [new, *_] = codes_in(answer.text)
    late = give_password(client)
    assert late.post(CODE_PAGE, {"code": other}).status_code == 400
    assert is_in(person)
    # After the wrong one the next has to wait: of codes that were made anew none does.
    [new, *_] = codes_in(person.post(PAGE, {"codes": "1"}).text)
    assert late.post(CODE_PAGE, {"code": new}).status_code == 302


def test_it_is_switched_off(client, device):
    renew_codes(client)
    person = log_in(client, device)

    answer = person.post(PAGE, {"off": "1"})

    assert (answer.status_code, answer["Location"]) == (302, f"{PAGE}?off")
    page = person.get(answer["Location"]).text
    assert "Sign-in with a code is off. Your password alone signs you in." in page
    assert not StaticToken.objects.exists()
    assert not has_factor(client)
    assert is_in(give_password(client))


@pytest.mark.parametrize("form", [{"off": "1"}, {"codes": "1"}])
def test_it_is_not_managed_too_late(form, client, device, time_machine):
    person = log_in(client, device)
    time_machine.move_to(NOW + timedelta(minutes=16), tick=False)

    answer = person.post(PAGE, form)

    assert answer["Location"] == "/account/confirm?next=%2Faccount%2Fsecond-factor"
    assert has_factor(client)
    assert not StaticToken.objects.exists()


def test_it_is_not_set_up_too_late(client, person, time_machine):
    time_machine.move_to(NOW + timedelta(minutes=16), tick=False)

    assert person.get(PAGE).status_code == 302
    assert person.post(PAGE, {"code": "000000"}).status_code == 302
    assert not Authenticator.objects.exists()


def test_an_affiliate_is_told_of_each_change(client, person):
    AffiliateFactory(brand=client.brand, user=client)
    set_up(person)
    person.post(PAGE, {"codes": "1"})
    person.post(PAGE, {"off": "1"})

    told = Email.objects.order_by("pk")
    assert {(one.kind, one.recipient) for one in told} == {
        ("credentials_changed", client.email)
    }
    assert [(one.values["change"], one.values["is_by_staff"]) for one in told] == [
        ("second_factor_on", False),
        ("recovery_codes", False),
        ("second_factor_off", False),
    ]


def test_clients_who_are_no_affiliates_get_no_email(person):
    set_up(person)

    assert not Email.objects.exists()


def test_staff_have_a_page_of_their_own(db):
    person = browser()
    person.force_login(StaffFactory(), "portal.clients.backends.EmailBackend")

    assert person.get(PAGE)["Location"] == f"/login?next={PAGE}"


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_set_ups_at_once_one_gets_codes(client, time_machine):
    device = shown_device({}, client)
    code = code_of(device)

    made = at_once(8, lambda number: switch_on(device, code))

    assert [len(codes) for codes in made if codes] == [10]
    assert StaticToken.objects.count() == 10
    assert Authenticator.objects.filter(user=client, confirmed=True).count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_no_token_of_the_password_alone_outlives_a_set_up(client, time_machine):
    device = shown_device({}, client)
    code = code_of(device)
    user = User.objects.get(pk=client.pk)

    def act(number: int) -> None:
        if number == 0:
            switch_on(device, code)
            return
        try:
            issue_token(user, now=NOW)
        except Exception as refusal:  # noqa: BLE001 the one after the set-up
            assert refusal.code == "invalid_credentials"  # noqa: PT017

    at_once(8, act)

    assert has_factor(client)
    assert not AuthToken.objects.exists()
