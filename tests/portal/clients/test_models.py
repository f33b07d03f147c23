from __future__ import annotations

import pytest
from django.contrib.auth.hashers import identify_hasher
from django.core.management import CommandError, call_command

from affiliates.errors import NotAllowed
from portal.clients.models import User
from tests.factories.portal import ClientFactory, GuestFactory, StaffFactory

SECRET = "correct-horse-battery"


def create_superuser(email: str) -> None:
    call_command("createsuperuser", interactive=False, email=email, verbosity=0)


@pytest.fixture(autouse=True)
def _password(monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", SECRET)


def test_a_new_database_has_no_account(db):
    assert not User.objects.exists()


def test_createsuperuser_makes_staff_without_a_brand(db):
    create_superuser("root@Example.com")

    user = User.objects.get()
    assert (user.email, user.brand) == ("root@example.com", None)
    assert (user.is_staff, user.is_superuser, user.is_guest) == (True, True, False)
    assert user.check_password(SECRET)
    assert identify_hasher(user.password)


@pytest.mark.parametrize(
    ("_case", "email"),
    [("taken", "ROOT@example.com"), ("no e-mail", "root"), ("empty", "")],
)
def test_createsuperuser_refuses_an_email_that_is(_case, email, db):
    StaffFactory(email="root@example.com")

    with pytest.raises(CommandError):
        create_superuser(email)

    assert User.objects.count() == 1


def test_only_staff_have_a_natural_key(brand):
    ClientFactory(brand=brand, email="ada@example.com")
    staff = StaffFactory(email="Ada@example.com")

    assert User.objects.get_by_natural_key("ada@example.com") == staff


def test_only_clients_have_a_brand(brand):
    assert GuestFactory(brand=brand).client_brand_id == brand.pk
    with pytest.raises(NotAllowed):
        _ = StaffFactory().client_brand_id


@pytest.mark.parametrize(
    ("_case", "row", "shown"),
    [
        ("client", {"email": "ada@example.com"}, "ada@example.com"),
        ("guest", {"email": "", "is_guest": True}, "guest "),
    ],
)
def test_a_user_is_shown_by_email(_case, row, shown, brand):
    user = ClientFactory.build(brand=brand, **row)

    assert str(user).startswith(shown)
    assert user.get_full_name() == f"{user.firstname} {user.lastname}"
    assert user.get_short_name() == user.firstname
