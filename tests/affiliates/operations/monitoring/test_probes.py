"""Load balancers are told whether the process lives, and whether to send requests to it."""

from __future__ import annotations

import socket
import threading
import time

import pytest
from django.db import OperationalError, connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings

from affiliates.operations.health import database
from affiliates.operations.health.registry import Shown, examinations
from affiliates.operations.monitoring import probes

pytestmark = pytest.mark.urls("tests.affiliates.operations.monitoring.urls")
LATER = "9999_not_run"
NOT_ANSWERING = 503, {"status": "not ready", "findings": ["affiliates.D001"]}


@pytest.fixture(autouse=True)
def readiness():
    """No test sees another's answer."""
    probes.readiness.forget()
    yield probes.readiness
    probes.readiness.forget()


def ask(where: str, **headers):
    answer = Client().get(f"/health/{where}", headers=headers)
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-store"
    return answer.status_code, answer.json()


def test_a_living_process_says_so_without_a_database():
    # Without the mark `django_db` a test fails if it asks the database.
    assert ask("live") == (200, {"status": "live"})


def test_hosts_and_brands_are_not_asked_for():
    answered = ask("live", host="10.0.0.7:8000", origin="https://unknown.example.com")

    assert answered == (200, {"status": "live"})


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_only_reading_is_permitted(method):
    for where in ("live", "ready"):
        assert getattr(Client(), method)(f"/health/{where}").status_code == 405


@override_settings(
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.auth.middleware.LoginRequiredMiddleware",
    ]
)
def test_no_login_is_asked_for():
    assert ask("live") == (200, {"status": "live"})


@pytest.mark.django_db(transaction=True)
def test_a_process_with_its_database_is_ready():
    assert ask("ready") == (200, {"status": "ready"})


@pytest.mark.django_db(transaction=True)
def test_a_process_that_waits_for_migrations_is_not_ready():
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("affiliates", "0003_guards")
    try:
        answered = ask("ready")
    finally:
        recorder.record_applied("affiliates", "0003_guards")

    assert answered == (
        503,
        {"status": "not ready", "findings": ["affiliates.D002"]},
    )


@pytest.mark.django_db(transaction=True)
def test_a_process_stays_ready_while_a_later_version_is_rolled_out():
    recorder = MigrationRecorder(connection)
    recorder.record_applied("affiliates", LATER)
    try:
        answered = ask("ready")
    finally:
        recorder.record_unapplied("affiliates", LATER)

    assert answered == (200, {"status": "ready"})


def test_connection_migrations_and_clock_decide():
    asked = [one.look for one in examinations(Shown.READINESS)]

    assert asked == [database.connects, database.is_migrated, database.tells_the_time]


@pytest.mark.django_db(transaction=True)
def test_a_refused_connection_is_named_without_its_details(monkeypatch):
    def refuse(*args) -> None:
        raise OperationalError("FATAL: no such role: portal_owner@10.1.2.3")

    monkeypatch.setattr(type(connections["default"]), "ensure_connection", refuse)

    answered = ask("ready")

    assert answered == NOT_ANSWERING


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="SQLite has no server to be silent"
)
def test_a_silent_database_is_not_waited_for(monkeypatch):
    connection.ensure_connection()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        known = connections.databases["default"]
        monkeypatch.setitem(known, "HOST", "127.0.0.1")
        monkeypatch.setitem(known, "PORT", silent.getsockname()[1])
        before = set(threading.enumerate())
        began_at = time.monotonic()
        answered = ask("ready")
        waited = time.monotonic() - began_at
        again = ask("ready")
        waited_again = time.monotonic() - began_at - waited
        held = set(threading.enumerate()) - before
    for thread in held:
        thread.join(30)

    assert answered == again == NOT_ANSWERING
    assert probes.READY_SECONDS <= waited < probes.READY_SECONDS + 1
    assert waited_again < 0.5
    assert len(held) == 1
