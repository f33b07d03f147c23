from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction

from affiliates.contracts import (
    ClientRegistration,
    GuestRegistration,
    RegistrationCompletion,
)
from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.clients import services
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.clients.services import log_in
from tests.database import nothing_written
from tests.factories.portal import PASSWORD, ClientFactory, GuestFactory, StaffFactory
from tests.races import at_once, needs_postgresql


def register_client(*, now, **fields):
    return services.register_client(ClientRegistration(**fields), now=now)


def register_guest(*, now, **fields):
    return services.register_guest(GuestRegistration(**fields), now=now)


def complete_registration(*, client_id, now, **fields):
    completion = RegistrationCompletion(client_id=str(client_id), **fields)
    return services.complete_registration(completion, now=now)


ADA = {"firstname": "Ada", "lastname": "Lovelace", "password": PASSWORD}


@pytest.fixture
def hashes(monkeypatch) -> list[str]:
    """Passwords that were hashed: the dear part of every answer."""
    hashed: list[str] = []

    def hash_and_note(password: str, *rest: object) -> str:
        hashed.append(password)
        return make_password(password, *rest)

    monkeypatch.setattr(services, "make_password", hash_and_note)
    return hashed


@pytest.mark.parametrize("letter", ["\u0130", "\u0131", "\u017f", "\u212a"])
def test_a_name_that_a_login_could_miss_is_not_registered(letter, brand, now):
    email = f"{letter}x@example.com"

    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        register_client(brand_id=brand.pk, email=email, now=now, **ADA)

    assert (refusal.value.code, refusal.value.field) == ("invalid", "email")


def test_client_is_registered_with_a_token(brand, now):
    signed_in = register_client(
        brand_id=brand.pk, email="ada@Example.COM", **ADA, now=now
    )

    user = User.objects.get()
    assert signed_in.user == user
    assert (user.email, user.firstname, user.lastname) == (
        "ada@example.com",
        "Ada",
        "Lovelace",
    )
    assert (user.brand, user.is_guest, user.is_staff) == (brand, False, False)
    assert user.created_at == now
    assert user.check_password(PASSWORD)
    token = AuthToken.objects.get()
    assert token.user == user
    assert token.expiry == now + timedelta(hours=24)
    assert len(signed_in.token) == 64
    assert signed_in.token not in {token.digest, token.token_key}


@pytest.mark.parametrize(
    "email", ["ada@example.com", "ADA@example.com", "Ada@EXAMPLE.com"]
)
def test_taken_email_is_refused_after_hashing(email, brand, now, hashes):
    ClientFactory(brand=brand, email="ada@example.com")

    with pytest.raises(InvalidInput) as refusal:
        register_client(brand_id=brand.pk, email=email, **ADA, now=now)

    assert (refusal.value.code, refusal.value.field) == ("email_taken", "email")
    assert hashes == [PASSWORD]
    assert User.objects.count() == 1
    assert not AuthToken.objects.exists()


def test_brands_do_not_share_emails(brand, other_brand, now):
    ClientFactory(brand=other_brand, email="ada@example.com")

    register_client(brand_id=brand.pk, email="ada@example.com", **ADA, now=now)

    assert User.objects.filter(email="ada@example.com").count() == 2


def test_staff_email_does_not_block_a_client(brand, now):
    StaffFactory(email="ada@example.com")

    register_client(brand_id=brand.pk, email="ada@example.com", **ADA, now=now)

    assert User.objects.filter(brand=brand).count() == 1


def test_guest_neither_blocks_an_email_nor_learns_of_it(brand, now):
    ClientFactory(brand=brand, email="ada@example.com")
    person = {"firstname": "", "lastname": "", "now": now}

    register_guest(brand_id=brand.pk, email="ada@example.com", **person)
    register_guest(brand_id=brand.pk, email="bob@example.com", **person)
    register_client(brand_id=brand.pk, email="bob@example.com", **ADA, now=now)

    assert User.objects.filter(is_guest=True).count() == 2
    assert User.objects.filter(is_guest=False).count() == 2


@pytest.mark.parametrize(
    ("_case", "change", "field", "code"),
    [
        ("short password", {"password": "1234567"}, "password", "invalid"),
        ("long password", {"password": "x" * 129}, "password", "invalid"),
        ("common password", {"password": "password1"}, "password", "invalid"),
        ("password like the name", {"password": "Lovelace!"}, "password", "invalid"),
        ("no e-mail", {"email": ""}, "email", "required"),
        ("no such e-mail", {"email": "not-an-email"}, "email", "invalid"),
        ("long e-mail", {"email": "a" * 250 + "@b.example"}, "email", "invalid"),
        ("long name", {"firstname": "x" * 101}, "firstname", "invalid"),
    ],
)
def test_registration_is_refused_for(_case, change, field, code, brand, now, hashes):
    fields = {"email": "ada@example.com", **ADA, **change}

    with pytest.raises(InvalidInput) as refusal:
        register_client(brand_id=brand.pk, **fields, now=now)

    assert (refusal.value.field, refusal.value.code) == (field, code)
    assert hashes == []
    assert not User.objects.exists()


@pytest.mark.parametrize("length", [8, 128])
def test_password_may_be_as_long_as(length, brand, now):
    password = ("correct horse battery " * 6)[:length]

    register_client(
        brand_id=brand.pk,
        email="ada@example.com",
        **{**ADA, "password": password},
        now=now,
    )

    assert User.objects.get().check_password(password)


def test_guest_needs_nothing(brand, now):
    signed_in = register_guest(
        brand_id=brand.pk, email="", firstname="", lastname="", now=now
    )

    user = User.objects.get()
    assert (user.email, user.is_guest, user.brand) == ("", True, brand)
    assert not user.has_usable_password()
    assert AuthToken.objects.get().user == user
    assert AuthToken.objects.get().expiry == now + timedelta(hours=24)
    assert len(signed_in.token) == 64


def test_guest_with_an_impossible_email_is_refused(brand, now):
    with pytest.raises(InvalidInput) as refusal:
        register_guest(brand_id=brand.pk, email="x", firstname="", lastname="", now=now)

    assert refusal.value.field == "email"
    assert not User.objects.exists()


def test_completed_guest_keeps_its_id_and_loses_its_tokens(guest, speak_as, now):
    speak_as(guest)
    old = AuthToken.objects.get()

    signed_in = complete_registration(
        client_id=guest.pk, email="ada@example.com", **ADA, now=now
    )

    guest.refresh_from_db()
    assert signed_in.user.pk == guest.pk
    assert (guest.email, guest.firstname, guest.is_guest) == (
        "ada@example.com",
        "Ada",
        False,
    )
    assert guest.check_password(PASSWORD)
    token = AuthToken.objects.get()
    assert token.digest != old.digest
    assert token.expiry == now + timedelta(hours=24)


def test_registration_is_completed_once(client, now):
    with pytest.raises(StateConflict) as refusal:
        complete_registration(
            client_id=client.pk, email="new@example.com", **ADA, now=now
        )

    assert refusal.value.code == "already_registered"
    assert User.objects.get().email == client.email


def test_guest_cannot_take_a_clients_email(guest, client, speak_as, now, hashes):
    speak_as(guest)

    with pytest.raises(InvalidInput) as refusal:
        complete_registration(
            client_id=guest.pk, email=client.email.upper(), **ADA, now=now
        )

    assert refusal.value.code == "email_taken"
    assert hashes == [PASSWORD]
    guest.refresh_from_db()
    assert (guest.is_guest, guest.email) == (True, "")
    assert AuthToken.objects.filter(user=guest).count() == 1


@pytest.mark.parametrize("_case", ["nobody", "staff"])
def test_only_guests_complete_a_registration(_case, db, now):
    client_id: UUID = StaffFactory().pk if _case == "staff" else uuid4()

    with pytest.raises(NotFound):
        complete_registration(
            client_id=client_id, email="ada@example.com", **ADA, now=now
        )


def test_login_gives_another_token(client, now):
    first = log_in(
        brand_id=client.brand_id, email=client.email, password=PASSWORD, now=now
    )
    second = log_in(
        brand_id=client.brand_id,
        email=client.email.upper(),
        password=PASSWORD,
        now=now,
    )

    assert first.user == second.user == client
    assert first.token != second.token
    assert AuthToken.objects.filter(user=client).count() == 2


def test_a_client_holds_its_ten_newest_tokens(client, now):
    for _ in range(12):
        newest = log_in(
            brand_id=client.brand_id, email=client.email, password=PASSWORD, now=now
        )

    tokens = AuthToken.objects.filter(user=client)
    assert tokens.count() == 10
    assert tokens.filter(token_key=newest.token[:15]).exists()


@pytest.mark.parametrize(
    "_case",
    ["wrong password", "unknown e-mail", "inactive", "guest", "staff", "other brand"],
)
def test_login_is_refused_alike_for(_case, brand, other_brand, now):
    email, password = "ada@example.com", PASSWORD
    match _case:
        case "wrong password":
            ClientFactory(brand=brand, email=email)
            password = "something-else"
        case "inactive":
            ClientFactory(brand=brand, email=email, is_active=False)
        case "guest":
            GuestFactory(brand=brand, email=email, password=make_password(PASSWORD))
        case "staff":
            StaffFactory(email=email)
        case "other brand":
            ClientFactory(brand=other_brand, email=email)

    with pytest.raises(InvalidInput) as refusal:
        log_in(brand_id=brand.pk, email=email, password=password, now=now)

    assert (refusal.value.code, refusal.value.field, refusal.value.detail) == (
        "invalid_credentials",
        None,
        "Wrong e-mail or password.",
    )
    assert not AuthToken.objects.exists()


def test_unknown_email_costs_a_hash_too(brand, now, hashes):
    with pytest.raises(InvalidInput):
        log_in(brand_id=brand.pk, email="nobody@example.com", password="guess", now=now)

    assert hashes == ["guess"]


@pytest.mark.parametrize(
    ("_case", "row"),
    [
        ("client without e-mail", {"email": ""}),
        ("client who is staff", {"is_staff": True}),
        ("client who is superuser", {"is_superuser": True}),
        ("guest without a brand", {"brand": None, "is_guest": True}),
    ],
)
def test_database_refuses_a(_case, row, brand):
    with pytest.raises(IntegrityError), transaction.atomic():
        ClientFactory(**{"brand": brand, **row})

    assert not User.objects.exists()


def test_database_refuses_two_staff_with_one_email(db):
    StaffFactory(email="root@example.com")

    with pytest.raises(IntegrityError), transaction.atomic():
        StaffFactory(email="ROOT@example.com")

    assert User.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_racing_registrations_one_gets_the_email(brand, now):
    def register(number: int) -> str:
        try:
            register_client(brand_id=brand.pk, email="ada@example.com", **ADA, now=now)
        except InvalidInput as refusal:
            return refusal.code
        return "registered"

    results = at_once(20, register)

    assert sorted(results) == ["email_taken"] * 19 + ["registered"]
    assert User.objects.count() == 1
    assert AuthToken.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_racing_completions_one_succeeds(guest, now):
    def complete(number: int) -> str:
        try:
            complete_registration(
                client_id=guest.pk, email=f"ada{number}@example.com", **ADA, now=now
            )
        except StateConflict as refusal:
            return refusal.code
        return "completed"

    results = at_once(10, complete)

    assert sorted(results) == ["already_registered"] * 9 + ["completed"]
    assert AuthToken.objects.count() == 1
