"""A call of PayPal's wakes a look-up of the batch that it names."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import Client

from affiliates.contrib.paypal.sender import PayPalPayouts
from affiliates.outbox.queue.rules import QueueState
from affiliates.payouts.models import PayoutBatch
from affiliates.payouts.sending.views import MAX_BYTES
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from tests.database import nothing_written

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(brand, now):
    account = PayoutAccount.objects.create(
        brand=brand,
        provider=PayPalPayouts.code,
        kind="paypal",
        address="https://x.example",
    )
    batch = PayoutBatch.objects.create(
        brand=brand, kind="paypal", currency="EUR", content="", exported_at=now
    )
    return PayoutSending.objects.create(
        batch=batch,
        account=account,
        remote_id="P1",
        state=QueueState.SENT,
        created_at=now - timedelta(days=40),
        finished_at=now,
    )


PATH = f"/api/payout_providers/{PayPalPayouts.code}"


def call(body: bytes, path: str = PATH):
    return Client(enforce_csrf_checks=True).post(
        path, body, content_type="application/json"
    )


@pytest.mark.parametrize(
    "resource",
    [{"payout_batch_id": "P1"}, {"batch_header": {"payout_batch_id": "P1"}}],
)
def test_an_event_wakes_the_look_up_of_its_batch(row, resource):
    answer = call(json.dumps({"resource": resource}).encode())

    row.refresh_from_db()
    assert answer.status_code == 204
    assert (row.state, row.next_at is not None) == (QueueState.UNCLEAR, True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'{"resource": []}',
        b'{"resource": {"payout_batch_id": 7}}',
        b'{"resource": {"payout_batch_id": "P2"}}',
        b'{"resource": {"payout_batch_id": "\'; --"}}',
        b'{"resource": {"payout_batch_id": "P1"}}' + b" " * MAX_BYTES,
        b"[" * 60_000,
    ],
)
def test_anything_else_changes_nothing(row, body):
    with nothing_written():
        answer = call(body)

    assert answer.status_code == 204


def test_a_batch_under_way_is_left_to_its_process(row, now):
    PayoutSending.objects.update(state=QueueState.SENDING, next_at=now)

    with nothing_written():
        call(b'{"resource": {"payout_batch_id": "P1"}}')


def test_it_is_only_posted_to():
    assert Client().get(PATH).status_code == 405


def test_a_provider_that_is_not_installed_is_answered_alike(row):
    with nothing_written():
        answer = call(
            b'{"resource": {"payout_batch_id": "P1"}}', "/api/payout_providers/gone"
        )

    assert answer.status_code == 204
