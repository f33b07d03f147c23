"""The lines of ``portal.security`` and ``affiliates.security``, as the portal writes them."""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django_otp.oath import totp
from rest_framework.test import APIClient

from affiliates.telemetry import refusals
from affiliates.telemetry.logs import JsonFormatter, PerMinute
from portal.clients.authenticators import Authenticator
from tests.factories.portal import PASSWORD, StaffFactory
from tests.guard.markers import marker
from tests.portal.second_factors import NOW, code_of

SHOP = "shop.example.com"
HOME = "203.0.113.7"
pytestmark = pytest.mark.django_db
LOGGERS = ("affiliates.security", "portal.security")
NEW = "another-horse-entirely"


@pytest.fixture(autouse=True)
def shop(settings):
    settings.ALLOWED_HOSTS = [".example.com", "testserver"]


@pytest.fixture
def lines(caplog, monkeypatch):
    """What was written since the last call, without the moment and the request."""
    # As in a new minute.
    for limit in (one for name in LOGGERS for one in logging.getLogger(name).filters):
        limit._of_place.clear()
    monkeypatch.setattr(refusals, "_redirects", PerMinute())

    def read() -> list[dict[str, object]]:
        written = [
            json.loads(JsonFormatter().format(one))
            for one in caplog.records
            if one.name in LOGGERS
        ]
        caplog.clear()
        for line in written:
            del line["time"], line["request_id"]
        return written

    return read


def info(message: str, **facts: object) -> dict[str, object]:
    line = {"level": "INFO", "logger": "portal.security", "message": message}
    return {**line, **facts}


def warning(message: str, logger: str = "portal.security", **facts: object):
    return {"level": "WARNING", "logger": logger, "message": message, **facts}


def refused(status: int, code: str, method: str, route: str, user: object = ""):
    facts = {"status": status, "code": code, "method": method, "route": route}
    logger = "affiliates.security"
    return warning("Request refused", logger, **facts, user=str(user))


def browser(**options: object) -> Client:
    return Client(headers={"host": SHOP}, **options)


def api(**headers: str) -> APIClient:
    return APIClient(HTTP_ORIGIN=f"https://{SHOP}", **headers)


def log_in(email: str, password: str = PASSWORD) -> Client:
    person = browser()
    person.post("/login", {"email": email, "password": password})
    return person


def test_a_client_logs_in_and_out(client, lines):
    person = log_in(client.email)
    assert lines() == [info("Logged in", user=str(client.pk), by="password")]

    person.post("/logout")
    assert lines() == [info("Logged out", user=str(client.pk))]

    login = {"email": client.email, "password": PASSWORD}
    api().post("/api/clients/login", login, format="json")
    by = "password for a token"
    assert lines() == [info("Logged in", user=str(client.pk), by=by)]


def test_a_failed_login_names_its_account_by_a_keyed_hash(client, lines):
    login = {"email": client.email.upper(), "password": "s3cret-typed"}
    log_in(**login)
    api().post("/api/clients/login", login, format="json")
    log_in("nobody@example.com", "s3cret-typed")
    staff = {"username": client.email, "password": "s3cret-typed"}
    Client().post("/admin/login/", staff)

    written = lines()

    accounts = [one["account"] for one in written]
    assert written == [warning("Login failed", account=one) for one in accounts]
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in accounts)
    # The client's twice, somebody's, and that of staff with the same address.
    assert [accounts.index(one) for one in accounts] == [0, 0, 2, 3]
    assert not [word for word in ("s3cret", "example") if word in str(written)]


def test_staff_s_second_factor_is_passed_or_failed(settings, lines, time_machine):
    time_machine.move_to("2026-03-01T12:00:15Z", tick=False)
    settings.STAFF_SECOND_FACTOR = True
    staff = StaffFactory()
    device = Authenticator.objects.create(user=staff, name="Phone", confirmed=True)
    person = Client()
    person.force_login(staff)
    lines()

    right = f"{totp(device.bin_key):06}"
    person.post("/admin/second-factor/", {"code": right[::-1] + "x"})
    person.post("/admin/second-factor/", {"code": right})

    user = str(staff.pk)
    assert lines() == [
        warning("Second factor failed", user=user),
        info("Second factor passed", user=user),
    ]


def test_a_client_s_second_factor_is_set_up_passed_and_removed(
    client, lines, time_machine
):
    time_machine.move_to(NOW, tick=False)
    person, user = log_in(client.email), str(client.pk)
    person.get("/account/second-factor")
    device = Authenticator.objects.get()
    lines()

    person.post("/account/second-factor", {"code": code_of(device)})
    changed = {"changed": "second_factor_on", "is_by_staff": False}
    assert lines() == [
        info("Second factor passed", user=user),
        info("Credentials changed", user=user, **changed),
    ]

    time_machine.move_to(NOW + timedelta(seconds=30), tick=False)
    other = log_in(client.email)
    assert lines() == [info("Password confirmed", user=user)]
    other.post("/login/code", {"code": "no"})
    assert lines() == [warning("Second factor failed", user=user)]
    other.post("/login/code", {"code": code_of(device)})
    assert lines() == [
        info("Second factor passed", user=user),
        info("Logged in", user=user, by="password"),
    ]

    login = {"email": client.email, "password": PASSWORD, "code": "000000"}
    api().post("/api/clients/login", login, format="json")
    assert lines() == [warning("Second factor failed", user=user)]

    person.post("/account/second-factor", {"off": "1"})
    changed = {"changed": "second_factor_off", "is_by_staff": False}
    assert lines() == [info("Credentials changed", user=user, **changed)]


def test_a_password_is_confirmed_and_changed(client, lines):
    person = log_in(client.email)
    lines()
    changed = {"changed": "password", "is_by_staff": False}
    user = str(client.pk)

    person.post("/account/password", {"old": "wrong", "new": NEW})
    [failed] = lines()
    assert failed == warning("Login failed", account=failed["account"])

    person.post("/account/password", {"old": PASSWORD, "new": NEW})
    assert lines() == [
        info("Password confirmed", user=user),
        info("Credentials changed", user=user, **changed),
    ]


def test_the_api_s_refusals_name_code_and_route(brand, lines):
    api().get("/api/account_credit")
    api(HTTP_AUTHORIZATION="Bearer s3cret").get("/api/account_credit")
    visit = {"visit_url": f"https://{SHOP}/", "referrer_url": "", "user_agent": ""}
    foreign = APIClient(HTTP_ORIGIN="https://evil.example")
    foreign.post("/api/affiliate_link/visit", visit, format="json")

    credit = ("GET", "api/account_credit")
    visits = ("POST", "api/affiliate_link/visit")
    assert lines() == [
        refused(401, "not_authenticated", *credit),
        refused(401, "authentication_failed", *credit),
        refused(403, "origin_not_registered", *visits)
        | {"origin_host": "evil.example"},
    ]


def test_too_many_tries_are_told(client, lines):
    person = Client(headers={"host": SHOP}, REMOTE_ADDR=HOME)
    for _ in range(11):
        person.post("/login", {"email": client.email, "password": "wrong"})

    assert lines()[-1] == refused(429, "throttled", "POST", "login")


def test_a_form_of_another_site_is_told_without_the_address(client, lines):
    person = browser(enforce_csrf_checks=True)

    answer = person.post("/password-reset/s3cret", {"password": NEW})
    assert answer.status_code == 403
    assert lines() == [
        refused(403, "csrf_failed", "POST", "password-reset/<str:token>")
    ]


def test_a_page_that_is_not_allowed_is_told(lines):
    helper = StaffFactory(is_superuser=False)
    person = Client()
    person.force_login(helper)
    lines()

    assert person.get("/admin/portal/user/").status_code == 403
    [line] = lines()
    assert line == refused(
        403, "permission_denied", "GET", "admin/portal/user/", helper.pk
    )


def test_a_forged_event_is_told(webhook_secrets, brand, lines):
    api().post("/api/payments/webhook/acme", {}, format="json")

    assert lines() == [warning("Signature refused")]


def test_a_normal_visit_leaves_no_line_and_a_refused_redirect_one(brand, lines):
    def visit(query: str) -> None:
        body = {"referrer_url": "", "user_agent": "Mozilla/5.0 Firefox/140.0"}
        url = f"https://{SHOP}/?{query}"
        answer = api().post(
            "/api/affiliate_link/visit", {**body, "visit_url": url}, format="json"
        )
        assert answer.status_code == 200

    visit("a=1")
    visit("redirect=/plans")
    assert lines() == []

    visit(f"redirect=https://evil.example/{marker('visitor', 'redirect')}")
    facts = {"reason": "not_on_brand_domains", "brand": brand.pk}
    assert lines() == [warning("Redirect refused", "affiliates.security", **facts)]


def test_a_flood_of_refused_redirects_leaves_60_lines_a_minute(lines):
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as clock:
        for _ in range(70):
            refusals.log_refused_redirect(reason="empty", brand_id=7)
        assert len(lines()) == 60

        clock.shift(60)
        refusals.log_refused_redirect(reason="empty", brand_id=7)

    facts = {"reason": "empty", "brand": 7, "left_out": 10}
    assert lines() == [warning("Redirect refused", "affiliates.security", **facts)]
