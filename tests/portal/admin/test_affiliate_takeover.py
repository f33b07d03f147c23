"""Ways in which staff could come to act as an affiliate: refused, or told to its owner."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.contrib.auth.models import Group, Permission
from django.test import Client

from affiliates.brands.roles import OPERATOR, ROLES, group_name
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.area.looks.services import ask_for_look
from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from affiliates.program.models import Affiliate
from portal.clients.models import User
from portal.clients.open_sessions import CLIENT_BACKEND, AuthToken, OpenSession
from portal.clients.services import _issue_token
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.factories.portal import PASSWORD, ClientFactory, GuestFactory, StaffFactory
from tests.factories.recruitment import ApplicationFactory
from tests.portal.admin.pages import page_of, text_of

NEW = "another-horse-entirely"
NOT_CHANGED = "Nothing can be changed while you look."
PASSWORDS = {
    "usable_password": "true",
    "set-password": "1",
    "password1": NEW,
    "password2": NEW,
}
CREDENTIALS = "change_affiliate_credentials"


def browser_of(role: str, *permissions: str) -> Client:
    user = StaffFactory(is_superuser=False)
    user.groups.add(Group.objects.get(name=group_name(role)))
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def operator(affiliate) -> Client:
    return browser_of(OPERATOR)


@pytest.fixture
def trusted(affiliate) -> Client:
    return browser_of(OPERATOR, CREDENTIALS)


@pytest.fixture
def owner(affiliate) -> User:
    return affiliate.user


def details_of(user: User, **values: object) -> dict[str, object]:
    return {"email": user.email, "firstname": "Ada", "is_active": "on", **values}


def password_page(user: User) -> str:
    return f"/admin/portal/user/{user.pk}/password/"


def sent(now, mailoutbox) -> dict[str, str]:
    """What was written to whom, all that waits being sent first."""
    send_due(now=lambda: now + timedelta(days=365))
    return {message.to[0]: str(message.body) for message in mailoutbox}


def test_no_role_may_change_credentials_of_affiliates(db):
    held = Group.objects.filter(permissions__codename=CREDENTIALS)

    assert len(ROLES) == 4
    assert not held.exists()
    assert Permission.objects.filter(codename=CREDENTIALS).count() == 1


@each(
    ("_case", "path", "form"),
    [
        ("a password", "portal/user/{user}/password/", PASSWORDS),
        ("a new account", "portal/user/add/", {"email": "me@example.com"}),
        ("without the account", "portal/user/{user}/delete/", {"post": "yes"}),
        ("a group", "auth/group/add/", {"name": "Everything"}),
        ("a key", "affiliates_area/affiliatekey/add/", {"name": "Mine"}),
        ("a destination", "affiliates/payoutdestination/add/", {"kind": "offline"}),
    ],
)
def test_the_door_is_closed(operator, owner, path, form):
    with nothing_written():
        answer = operator.post(f"/admin/{path.format(user=owner.pk)}", form)

    assert answer.status_code == 403


@each(
    ("_case", "path"),
    [
        ("tokens", "portal/authtoken/"),
        ("sessions", "portal/opensession/"),
        ("second factors", "otp_totp/totpdevice/"),
        ("unconfirmed applications", "affiliates_recruitment/unverifiedapplication/"),
    ],
)
def test_there_is_no_page_of_them(operator, path):
    assert operator.get(f"/admin/{path}").status_code == 404


def test_the_address_stays_and_the_rest_is_saved(operator, owner):
    operator.post(
        page_of(owner),
        details_of(
            owner,
            email="me@example.com",
            is_staff="on",
            is_superuser="on",
            brand="",
            groups=[Group.objects.get(name=group_name(OPERATOR)).pk],
        ),
    )

    stored = User.objects.get(pk=owner.pk)
    assert (stored.email, stored.firstname, stored.password) == (
        "affiliate@example.com",
        "Ada",
        owner.password,
    )
    assert (stored.brand, stored.is_staff, stored.is_superuser) == (
        owner.brand,
        False,
        False,
    )
    assert not stored.groups.exists()
    assert 'name="email"' not in text_of(operator.get(page_of(owner)))


@pytest.mark.parametrize("status", ["pending", "suspended"])
def test_who_waits_or_is_suspended_is_an_affiliate_too(operator, owner, status):
    Affiliate.objects.update(status=status)

    assert operator.post(password_page(owner), PASSWORDS).status_code == 403


def test_other_clients_are_the_operator_s_to_help(operator, client):
    operator.post(page_of(client), details_of(client, email="other@example.com"))
    answer = operator.post(password_page(client), PASSWORDS)

    assert answer.status_code == 302
    stored = User.objects.get(pk=client.pk)
    assert (stored.email, stored.check_password(NEW)) == ("other@example.com", True)
    assert not Email.objects.exists()


def test_an_affiliate_stays_its_client_s(operator, affiliate, client):
    operator.post(
        f"/admin/affiliates/affiliate/{affiliate.pk}/change/",
        {"user": client.pk, "brand": affiliate.brand_id, "code": "renamed"},
    )

    stored = Affiliate.objects.get()
    assert (stored.user_id, stored.brand_id) == (affiliate.user_id, affiliate.brand_id)


@each(
    ("_case", "give"),
    [
        ("who applied", ApplicationFactory),
        ("who said where money goes", DestinationFactory),
    ],
)
def test_an_affiliate_is_not_deleted_to_be_made_anew(operator, affiliate, now, give):
    fields = {"usable_from": now} if give is DestinationFactory else {}
    give(affiliate=affiliate, **fields)

    operator.post(
        f"/admin/affiliates/affiliate/{affiliate.pk}/delete/", {"post": "yes"}
    )

    assert Affiliate.objects.get() == affiliate


@pytest.fixture
def looker(affiliate, staff, now, settings) -> Iterator[Client]:
    """Staff's browser in which the affiliate's area is looked at."""
    settings.ALLOWED_HOSTS = ["*"]
    PayoutTermsFactory(brand=affiliate.brand)
    looker = Client(headers={"host": "shop.example.com"})
    with time_machine.travel(now, tick=False):
        looker.get(ask_for_look(affiliate, reason="Asked", actor_id=staff.pk, now=now))
        yield looker


@each(
    ("path", "form"),
    [
        ("keys/new", {"name": "Mine", "scopes": ["payouts"]}),
        ("destination/paypal", {"email": "me@example.com", "is_confirmed": "on"}),
        ("payouts/ask/EUR", {}),
        ("webhook", {"address": "https://me.example.com", "is_active": "on"}),
    ],
)
def test_a_look_changes_nothing(looker, path, form):
    with nothing_written():
        answer = looker.post(f"/affiliate/{path}", form)

    assert (answer.status_code, NOT_CHANGED in answer.text) == (403, True)


def test_what_is_given_to_another_is_told_to_its_owner(
    operator, affiliate, now, mailoutbox
):
    mine = ClientFactory(brand=affiliate.brand, email="me@example.com")
    target = AffiliateFactory(brand=affiliate.brand, user=mine, code="mine")
    earn(affiliate, 10_000)

    operator.post(
        f"/admin/affiliates/affiliate/{affiliate.pk}/transfer/",
        {
            "target": target.pk,
            "parts": ["clients", "links", "coupons", "balance"],
            "merges": "on",
            "reason": "They asked",
            "key": uuid4(),
            "confirmed": "yes",
        },
    )

    (text,) = [
        text
        for address, text in sent(now, mailoutbox).items()
        if address == "affiliate@example.com"
    ]
    assert "to another affiliate: mine." in text
    assert "Reason: They asked" in text
    assert "From your balance: €100.00" in text
    assert "Your affiliate account is closed" in text


def test_a_guest_s_token_completes_no_other_registration(owner, speak_as):
    caller = speak_as(GuestFactory(brand=owner.brand))

    with nothing_written():
        answer = caller.post(
            f"/api/clients/{owner.pk}/complete_registration",
            {"email": owner.email, "firstname": "A", "lastname": "B", "password": NEW},
            format="json",
        )

    assert answer.status_code == 404


def sign_in(owner: User, now) -> str:
    """A session, whose key is returned, a token and a key of the client's."""
    browser = Client()
    browser.force_login(owner, backend=CLIENT_BACKEND)
    _issue_token(owner, now)
    give_key(
        affiliate_id=owner.affiliate_profiles.get().pk,
        name="Sheet",
        scopes=list(Scope),
        expires_at=now + timedelta(days=30),
        now=now,
    )
    return browser.session.session_key or ""


def is_let_in(session_key: str) -> bool:
    browser = Client(headers={"host": "shop.example.com"})
    browser.cookies["sessionid"] = session_key
    return browser.get("/account").status_code == 200


@pytest.mark.parametrize("changed", ["email", "password", "logged_out"])
def test_who_may_is_told_of_and_ends_every_way_in(
    trusted, owner, now, mailoutbox, settings, changed
):
    settings.ALLOWED_HOSTS = ["*"]
    session = sign_in(owner, now)
    assert is_let_in(session)
    assert not is_let_in(OpenSession.objects.get(user=owner).pk)

    if changed == "email":
        trusted.post(page_of(owner), details_of(owner, email="me@example.com"))
    elif changed == "password":
        trusted.post(password_page(owner), PASSWORDS)
    else:
        chosen = {"action": "log_out_everywhere", "_selected_action": [owner.pk]}
        trusted.post("/admin/portal/user/", chosen)

    assert not is_let_in(session)
    assert not AuthToken.objects.filter(user=owner).exists()
    assert AffiliateKey.objects.get().end == "credentials"
    told = sent(now, mailoutbox)
    assert "By: staff of" in told["affiliate@example.com"]
    assert "1 API key of yours has ended." in told["affiliate@example.com"]
    is_moved = changed == "email"
    assert ("me@example.com" in told) == is_moved
    assert User.objects.get(pk=owner.pk).check_password(PASSWORD) == (
        changed != "password"
    )
    cools_off = Affiliate.objects.get().cools_off_until
    assert (cools_off is None) == (changed == "logged_out")


def test_staff_who_may_not_change_it_see_no_link_to_the_password(
    trusted, operator, owner
):
    assert "/password/" in trusted.get(page_of(owner)).text
    assert "/password/" not in operator.get(page_of(owner)).text
