"""A changed password ends what its owner is logged in with."""

from __future__ import annotations

from threading import Event, Thread

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.management.commands import changepassword
from django.core.management import call_command
from django.db import connections
from django.test import Client

from affiliates.emails.models import Email
from affiliates.errors import InvalidInput
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.clients.services import _issue_token, log_in
from tests.factories.portal import PASSWORD, StaffFactory
from tests.races import needs_postgresql

NEW = "another-horse-entirely"


def change_in_the_shell(user: User) -> None:
    user.set_password(NEW)
    user.save()


def change_the_hash_alone(user: User) -> None:
    user.password = make_password(NEW)
    user.save(update_fields=["password"])


def disable(user: User) -> None:
    user.set_unusable_password()
    user.save()


def change_by_command(user: User) -> None:
    call_command("changepassword", user.email)


def save_what_was_read_before(user: User) -> None:
    User.objects.filter(pk=user.pk).update(password=make_password(NEW))
    user.save()


@pytest.fixture
def signed_in(client, other_client, now):
    """A client with two tokens, beside somebody else's."""
    for user in (client, client, other_client):
        _issue_token(user, now)
    return client


def holders() -> list[User]:
    return [token.user for token in AuthToken.objects.order_by("created")]


@pytest.mark.parametrize(
    "change",
    [
        change_in_the_shell,
        change_the_hash_alone,
        disable,
        change_by_command,
        save_what_was_read_before,
    ],
)
def test_every_token_ends(change, signed_in, other_client, monkeypatch):
    monkeypatch.setattr(changepassword.getpass, "getpass", lambda **_: NEW)

    change(signed_in)

    assert holders() == [other_client]


@pytest.mark.parametrize("usable", ["true", "false"])
def test_every_token_ends_when_staff_change_it(usable, signed_in, other_client):
    browser = Client()
    browser.force_login(StaffFactory())
    form = {"usable_password": usable, "password1": NEW, "password2": NEW}
    form |= {"set-password": "1"} if usable == "true" else {"unset-password": "1"}

    answer = browser.post(f"/admin/portal/user/{signed_in.pk}/password/", form)

    assert answer.status_code == 302
    assert holders() == [other_client]


def test_every_token_ends_with_a_changed_address(signed_in, other_client):
    signed_in.email = "another@example.com"
    signed_in.save(update_fields=["email"])

    assert holders() == [other_client]
    assert User.objects.get(pk=signed_in.pk).logged_out_at is not None


def test_a_guest_s_changed_address_leaves_them(guest, now):
    _issue_token(guest, now)
    guest.email = "another@example.com"
    guest.save()

    assert holders() == [guest]


@pytest.mark.parametrize("field", ["client", "brand"])
def test_the_password_of_an_inactive_affiliate_is_changed_too(affiliate, field):
    owner = affiliate.user
    row = owner if field == "client" else owner.brand
    type(row).objects.filter(pk=row.pk).update(is_active=False)

    change_in_the_shell(User.objects.get(pk=owner.pk))

    assert [one.kind for one in Email.objects.all()] == ["credentials_changed"]


def test_another_change_leaves_them(signed_in, other_client):
    signed_in.firstname = "Augusta"
    signed_in.save()
    signed_in.save(update_fields=["firstname"])

    assert holders() == [signed_in, signed_in, other_client]


def test_a_hash_made_anew_leaves_them(signed_in, other_client, settings):
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]

    assert signed_in.check_password(PASSWORD)

    assert User.objects.get(pk=signed_in.pk).password.startswith("pbkdf2_sha256$")
    assert signed_in.password.startswith("pbkdf2_sha256$")
    assert holders() == [signed_in, signed_in, other_client]


def test_a_hash_made_anew_is_no_way_back_to_an_old_password(client, settings):
    stale = User.objects.get(pk=client.pk)
    change_in_the_shell(client)
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]

    stale.check_password(PASSWORD)

    assert User.objects.get(pk=client.pk).check_password(NEW)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_login_by_the_old_password_leaves_no_token(client, now, monkeypatch):
    checked, changed = Event(), Event()
    is_right = User.check_password

    def check_slowly(user: User, password: str) -> bool:
        answer = is_right(user, password)
        checked.set()
        assert changed.wait(timeout=60)
        return answer

    def change() -> None:
        checked.wait(timeout=60)
        change_in_the_shell(User.objects.get(pk=client.pk))
        connections.close_all()
        changed.set()

    monkeypatch.setattr(User, "check_password", check_slowly)
    meanwhile = Thread(target=change)
    meanwhile.start()

    with pytest.raises(InvalidInput):
        log_in(brand_id=client.brand_id, email=client.email, password=PASSWORD, now=now)

    meanwhile.join()
    assert holders() == []
