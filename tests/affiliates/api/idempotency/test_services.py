"""Stored answers: encrypted, for a day, in one transaction with what they answer."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from affiliates.api.idempotency.models import StoredAnswer
from affiliates.api.idempotency.services import (
    begin,
    forget_answers,
    keep,
    was_answered,
)
from affiliates.api.idempotency.types import StoredResponse
from affiliates.db.transactions import (
    joins_request,
    joins_transaction,
    request_transaction,
)
from affiliates.errors import AffiliatesError, KeyReused, NotFound
from affiliates.worker.running import run_job
from tests.affiliates.api.idempotency.test_rules import keyed

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
RESPONSE = StoredResponse(
    status=201,
    data={"data": {"token": "468cece45b"}},
    headers={"Location": "/api/clients/7"},
    cookies=["seen=1; Path=/"],
)


def test_answer_is_stored_encrypted_and_read_again(now):
    keep(keyed(), RESPONSE, now=now)

    row = StoredAnswer.objects.get()
    assert row.scope == keyed().scope
    assert row.created_at == now
    assert "468cece45b" not in row.sealed
    assert "ada@example.org" not in row.sealed
    assert begin(keyed(), now=now) == RESPONSE
    assert begin(keyed(caller_id="8"), now=now) is None


def test_another_request_with_the_key_is_refused(now):
    keep(keyed(), RESPONSE, now=now)

    with pytest.raises(KeyReused) as refused:
        begin(keyed(body={}), now=now)

    assert refused.value.code == "idempotency_key_reused"


def test_answer_ends_after_a_day_before_it_is_deleted(now):
    keep(keyed(), RESPONSE, now=now)
    moment = timedelta(microseconds=1)

    assert begin(keyed(), now=now + DAY - moment) == RESPONSE
    assert begin(keyed(body={}), now=now + DAY) is None
    assert StoredAnswer.objects.count() == 1


def test_new_answer_takes_the_place_of_an_expired_one(now):
    keep(keyed(), RESPONSE, now=now)
    later = StoredResponse(status=200, data=None, headers={}, cookies=[])

    keep(keyed(body={}), later, now=now + DAY)

    assert begin(keyed(body={}), now=now + DAY) == later
    assert StoredAnswer.objects.get().created_at == now + DAY


def test_job_deletes_answers_after_a_day(now):
    keep(keyed(), RESPONSE, now=now)
    keep(keyed(key="another"), RESPONSE, now=now + timedelta(seconds=1))

    report = run_job("repeats", now=now + DAY).report

    assert report == "1 stored answers deleted."
    assert StoredAnswer.objects.get().scope == keyed(key="another").scope


def test_answer_of_a_lost_encryption_key_is_none(now, settings):
    keep(keyed(), RESPONSE, now=now)

    settings.AFFILIATES_SECRET_KEYS = f"9:{b64encode(bytes(range(32))).decode()}"

    assert begin(keyed(), now=now) is None


def test_same_credentials_are_recognised(now):
    keep(keyed(), RESPONSE, now=now)

    assert was_answered(keyed(), now=now) is True
    assert was_answered(keyed(credentials="Bearer two"), now=now) is False
    assert was_answered(keyed(body={}), now=now) is False
    assert was_answered(keyed(), now=now + DAY) is False


def test_absent_credentials_are_none(now):
    keep(keyed(credentials=""), RESPONSE, now=now)

    assert was_answered(keyed(credentials=""), now=now) is False


def test_no_page_shows_answers():
    assert not [one for one in admin.site._registry if one is StoredAnswer]
    if apps.is_installed("django.contrib.auth"):
        permissions = apps.get_model("auth.Permission").objects
        assert not permissions.filter(content_type__model="storedanswer").exists()


def statements(run):
    with CaptureQueriesContext(connection) as captured:
        run()
    return [one["sql"].split()[0] for one in captured.captured_queries]


@joins_request
def store(*, fails=False):
    StoredAnswer.objects.create(scope="a", sealed="", created_at="2026-03-01T12:00Z")
    if fails:
        raise RuntimeError


def test_service_alone_has_a_transaction_of_its_own():
    with pytest.raises(RuntimeError):
        store(fails=True)

    assert not StoredAnswer.objects.exists()
    assert statements(store) == ["SAVEPOINT", "INSERT", "RELEASE"]


def test_service_in_a_request_has_no_savepoint_of_its_own():
    def request():
        with request_transaction():
            store()

    # The outer ones are the request's: tests run in a transaction.
    assert statements(request) == ["SAVEPOINT", "INSERT", "RELEASE"]


def test_failed_service_ends_the_request_even_if_somebody_catches():
    def request():
        with request_transaction():
            with pytest.raises(RuntimeError):
                store(fails=True)
            StoredAnswer.objects.exists()

    with pytest.raises(transaction.TransactionManagementError):
        request()

    assert not StoredAnswer.objects.exists()
    assert statements(store) == ["SAVEPOINT", "INSERT", "RELEASE"]


@joins_transaction
def report(fault=None):
    if isinstance(fault, AffiliatesError):
        raise fault
    StoredAnswer.objects.create(scope="b", sealed="", created_at="2026-03-01T12:00Z")
    if fault is not None:
        raise fault


def test_joined_transaction_has_no_savepoint_and_outlives_a_refusal():
    with transaction.atomic():
        with pytest.raises(NotFound):
            report(NotFound())
        written = statements(report)

    assert written == ["INSERT"]
    assert StoredAnswer.objects.get().scope == "b"


def test_any_other_error_ends_the_joined_transaction():
    def host():
        with transaction.atomic():
            with pytest.raises(RuntimeError):
                report(RuntimeError())
            StoredAnswer.objects.exists()

    with pytest.raises(transaction.TransactionManagementError):
        host()

    assert not StoredAnswer.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_without_a_transaction_it_has_its_own():
    with pytest.raises(RuntimeError):
        report(RuntimeError())

    assert not StoredAnswer.objects.exists()
    assert statements(report) == ["BEGIN", "INSERT", "COMMIT"]


def test_answers_that_name_an_address_are_forgotten(now):
    for key, email in (("1", "Ada@Example.org"), ("2", "bob@example.org")):
        named = replace(RESPONSE, data={"data": {"email": email}})
        keep(keyed(key=key, body={}), named, now=now)
    StoredAnswer.objects.create(scope="unreadable", sealed="9.x", created_at=now)

    assert forget_answers([]) == 0
    assert forget_answers(["ada@example.org"]) == 1

    assert begin(keyed(key="1", body={}), now=now) is None
    assert begin(keyed(key="2", body={}), now=now) is not None
    assert StoredAnswer.objects.count() == 2
