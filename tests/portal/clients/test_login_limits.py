"""Guessing at a password is slow; its owner is not held up by whoever guesses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from axes.models import AccessAttempt, AccessLog
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from tests.drawing import undrawn_pages
from tests.factories.portal import PASSWORD, ClientFactory, StaffFactory
from tests.races import needs_postgresql

ORIGIN = "https://shop.example.com"
HOME = "203.0.113.7"
LIMIT = 10


def address(number: int) -> str:
    return f"198.51.100.{number}"


def log_in(email: str, password: str, *, at: str, origin: str = ORIGIN):
    api = APIClient(HTTP_ORIGIN=origin, REMOTE_ADDR=at)
    body = {"email": email, "password": password}
    return api.post("/api/clients/login", body, format="json")


def open_admin(email: str, password: str, *, at: str):
    form = {"username": email, "password": password}
    return Client(REMOTE_ADDR=at).post("/admin/login/", form)


def pass_time(span: timedelta) -> None:
    for rows in (AccessAttempt.objects.all(), AccessLog.objects.all()):
        for row in rows:
            type(row).objects.filter(pk=row.pk).update(
                attempt_time=row.attempt_time - span
            )


@pytest.fixture
def staff(db) -> User:
    return StaffFactory(email="root@example.com")


def test_one_account_from_many_addresses_is_throttled(client):
    answers = [
        log_in(client.email, "wrong-password", at=address(number))
        for number in range(80)
    ]

    assert [one.status_code for one in answers] == [400] * LIMIT + [429] * 70
    refusal = log_in(client.email, PASSWORD, at=address(99))
    assert refusal.status_code == 429
    assert refusal["Retry-After"] == "900"
    assert refusal.json()["errors"][0]["code"] == "throttled"
    assert not AuthToken.objects.exists()


def test_an_account_is_one_however_its_email_is_written(client):
    for number in range(LIMIT):
        log_in(client.email.upper(), "wrong-password", at=address(number))

    assert log_in(client.email, PASSWORD, at=HOME).status_code == 429


def test_an_account_that_does_not_exist_is_throttled_alike(brand):
    answers = [
        log_in("nobody@example.com", "wrong-password", at=address(number)).status_code
        for number in range(LIMIT + 1)
    ]

    assert answers == [400] * LIMIT + [429]


def test_another_account_is_not(client, other_client, other_brand):
    namesake = ClientFactory(
        brand=other_brand,
        email=client.email,
        firstname=client.firstname,
        lastname=client.lastname,
    )
    for number in range(LIMIT):
        log_in(client.email, "wrong-password", at=address(number))

    assert log_in(other_client.email, PASSWORD, at=HOME).status_code == 200
    elsewhere = log_in(
        namesake.email, PASSWORD, at=HOME, origin="https://other.example.com"
    )
    assert elsewhere.status_code == 200


def test_the_owner_is_not_held_up_at_an_address_used_before(client):
    log_in(client.email, PASSWORD, at=HOME)
    for number in range(80):
        log_in(client.email, "wrong-password", at=address(number))

    assert log_in(client.email, PASSWORD, at=HOME).status_code == 200


def test_an_address_used_before_has_a_limit_too(client):
    log_in(client.email, PASSWORD, at=HOME)

    answers = [
        log_in(client.email, "wrong-password", at=HOME).status_code
        for _ in range(LIMIT + 1)
    ]

    assert answers == [400] * LIMIT + [429]


def test_an_address_is_forgotten_after_30_days(client):
    log_in(client.email, PASSWORD, at=HOME)
    pass_time(timedelta(days=30, seconds=1))
    for number in range(LIMIT):
        log_in(client.email, "wrong-password", at=address(number))

    assert log_in(client.email, PASSWORD, at=HOME).status_code == 429
    pass_time(timedelta(minutes=15))
    log_in(client.email, PASSWORD, at=address(1))
    assert list(AccessLog.objects.values_list("ip_address", flat=True)) == [address(1)]


def test_it_is_over_after_a_quarter_of_an_hour(client):
    for number in range(LIMIT):
        log_in(client.email, "wrong-password", at=address(number))
    pass_time(timedelta(minutes=14, seconds=50))
    # What is refused makes the wait no longer.
    assert log_in(client.email, PASSWORD, at=HOME).status_code == 429
    pass_time(timedelta(seconds=11))

    assert log_in(client.email, PASSWORD, at=HOME).status_code == 200


def test_a_right_password_takes_back_the_tries_before_it(client):
    for _ in range(3):
        for _ in range(LIMIT - 1):
            log_in(client.email, "wrong-password", at="127.0.0.1")

        assert log_in(client.email, PASSWORD, at="127.0.0.1").status_code == 200


def test_sixty_wrong_passwords_close_the_admin_for_the_right_one(staff):
    with undrawn_pages():
        answers = [
            open_admin(staff.email, "wrong-password", at=HOME).status_code
            for _ in range(60)
        ]

    assert answers == [200] * LIMIT + [429] * 50
    refusal = open_admin(staff.email.upper(), PASSWORD, at=HOME)
    assert refusal.status_code == 429
    assert refusal["Retry-After"] == "900"
    assert "Wait 15 minutes, then log in again." in refusal.content.decode()
    assert not refusal.wsgi_request.user.is_authenticated


def test_guessing_at_staff_from_many_addresses_holds_up_no_owner(staff):
    assert open_admin(staff.email, PASSWORD, at=HOME).status_code == 302
    for number in range(LIMIT):
        open_admin(staff.email, "wrong-password", at=address(number))

    assert open_admin(staff.email, PASSWORD, at=address(99)).status_code == 429
    assert open_admin(staff.email, PASSWORD, at=HOME).status_code == 302


def test_one_address_may_not_try_every_staff_account(staff):
    for number in range(LIMIT):
        open_admin(f"staff{number}@example.com", "wrong-password", at=HOME)

    assert open_admin(staff.email, PASSWORD, at=HOME).status_code == 429
    assert open_admin(staff.email, PASSWORD, at=address(1)).status_code == 302


def test_an_operator_lets_the_owner_in_at_once(client):
    for number in range(LIMIT):
        log_in(client.email, "wrong-password", at=address(number))

    call_command("axes_reset_username", f"{client.brand_id}:{client.email}")

    assert log_in(client.email, PASSWORD, at=HOME).status_code == 200


def test_rows_of_tries_do_not_stay(client):
    for number in range(LIMIT):
        log_in(f"nobody{number}@example.com", "wrong-password", at=HOME)
    pass_time(timedelta(minutes=15))

    log_in(client.email, "wrong-password", at=HOME)

    assert AccessAttempt.objects.count() == 1
    assert timezone.now() - AccessAttempt.objects.get().attempt_time < timedelta(
        minutes=1
    )


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_parallel_tries_do_not_pass_the_limit(client, monkeypatch):
    looked_at: list[str] = []
    monkeypatch.setattr(
        User, "check_password", lambda user, password: looked_at.append(password)
    )

    def guess(number: int) -> int:
        try:
            return log_in(client.email, "wrong", at=address(number)).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(guess, range(80)))

    assert len(looked_at) <= LIMIT
    assert sorted(answers) == [400] * len(looked_at) + [429] * (80 - len(looked_at))


def test_tries_at_the_account_of_an_erased_client_are_deleted(client, now):
    staff = StaffFactory(email=client.email)
    other = ClientFactory(
        brand=client.brand,
        email=f"x{client.email}",
        firstname=client.firstname,
        lastname=client.lastname,
    )
    for account in (client, other):
        log_in(account.email, PASSWORD, at=HOME)
        log_in(account.email, "wrong-password", at=HOME)
    open_admin(staff.email, "wrong-password", at=HOME)

    call_command("affiliates_erase_person", f"--email={client.email}", "--yes")

    left = {f"{client.brand_id}:{other.email}"}
    assert {*AccessLog.objects.values_list("username", flat=True)} == left
    assert {*AccessAttempt.objects.values_list("username", flat=True)} == {
        *left,
        f":{staff.email}",
    }
