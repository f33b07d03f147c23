"""Senders at the same time, and what the outbox costs when it is large."""

from __future__ import annotations

import json
from datetime import datetime
from threading import Event

import pytest
from django.db import connection, transaction

from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.sending.deliver import deliver_due, serve
from affiliates.outbox.sending.health import record_answers
from affiliates.outbox.sending.lease import (
    LeasedWork,
    due_deliveries,
    due_integrations,
    take,
)
from affiliates.outbox.sending.switched_off import close_switched_off
from affiliates.outbox.types import CallOutcome, OutcomeKind
from tests.affiliates.outbox.outbox import Clock, Wire
from tests.factories.integrations import NOW, DeliveryFactory
from tests.races import at_once, needs_postgresql

pytestmark = needs_postgresql

FINISHED = 100_000


@pytest.mark.django_db(transaction=True)
def test_two_senders_never_claim_the_same_delivery(integration):
    for number in range(40):
        DeliveryFactory(integration=integration, visitor_ref=f"visitor-{number % 20}")
    clock = Clock()

    def sender(_: int) -> list[int]:
        taken = []
        for second in range(60):
            work = take(integration.pk, now=clock.at.replace(second=second))
            if isinstance(work, LeasedWork):
                taken += [row.pk for row in work.deliveries]
        return taken

    first, second = at_once(2, sender)

    # Of every visitor the first only: the second one waits until it is settled.
    earliest = Delivery.objects.order_by("pk").values_list("pk", flat=True)[:20]
    assert sorted(first + second) == list(earliest)


@pytest.mark.django_db(transaction=True)
def test_two_senders_deliver_each_once_and_in_order(integration, settings):
    # The clock runs with the senders' turns: no lease may end by it.
    settings.AFFILIATES_DELIVERY_LEASE_SECONDS = 86_400
    for number in range(60):
        DeliveryFactory(
            integration=integration,
            key=f"click:{number:03}",
            visitor_ref=f"visitor-{number % 7}",
        )
    wire, clock = Wire(), Clock()

    def work(_: int) -> None:
        while Delivery.objects.filter(next_at__isnull=False).exists():
            clock.pass_by(milliseconds=20)
            serve(integration.pk, transport=wire, now=clock)

    at_once(2, work)

    assert len(wire.calls) == len(set(wire.calls)) == 60
    for visitor in range(7):
        told = [
            url for url in wire.calls if url.startswith(f"click/visitor-{visitor}/")
        ]
        assert told == sorted(told)
    assert DeliveryAttempt.objects.count() == 60


@pytest.mark.django_db(transaction=True)
def test_recovery_does_not_wait_for_what_another_sender_is_settling(integration):
    IntegrationHealth(integration=integration, failures=9).save()
    waiting = {"state": "retry", "outcome": "retry", "next_at": NOW.replace(hour=20)}
    carried = DeliveryFactory(integration=integration, **waiting)
    free = DeliveryFactory(integration=integration, **waiting)
    is_carried, has_recovered = Event(), Event()

    def settle(number: int) -> None:
        with transaction.atomic():
            if number == 0:
                Delivery.objects.filter(pk=carried.pk).update(detail="carried")
                is_carried.set()
                assert has_recovered.wait(60)
            else:
                assert is_carried.wait(60)
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '3s'")
                outcome = CallOutcome(kind=OutcomeKind.OK)
                record_answers(integration.pk, [(outcome, NOW)], now=NOW)
                has_recovered.set()

    at_once(2, settle)

    assert Delivery.objects.get(pk=carried.pk).next_at == NOW.replace(hour=20)
    assert Delivery.objects.get(pk=free.pk).next_at == NOW


@pytest.mark.django_db
def test_sweep_of_a_large_finished_outbox_is_cheap(integration):
    _insert(integration, FINISHED, state="sent", next_at=None)
    clock, wire = Clock(), Wire()
    before = _rows_read()

    for _ in range(20):
        deliver_due(transport=wire, now=clock)

    # Counted, not timed: a busy machine is slow without reading more.
    assert _rows_read() == before
    assert _indexes_of(due_deliveries(integration.pk, now=NOW)[:50]) == {"delivery_due"}
    assert due_integrations(NOW) == []
    assert close_switched_off(now=NOW) == 0


@pytest.mark.django_db
def test_claim_from_a_large_backlog_reads_what_it_takes(integration):
    _insert(integration, 100_000, state="waiting", next_at=NOW)

    plan = _explain(due_deliveries(integration.pk, now=NOW)[:50])

    assert _indexes_read(plan) == {"delivery_due", "delivery_open_of_visitor"}
    (scan,) = [one for one in _nodes(plan) if one.get("Index Name") == "delivery_due"]
    assert scan["Actual Rows"] == 50


def _insert(integration, count: int, *, state: str, next_at: datetime | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO affiliates_delivery (
                brand_id, integration_id, operation, key, visitor_ref, order_ref,
                payload, state, attempt_count, next_at, outcome, detail, remote_ref,
                created_at
            )
            SELECT %s, %s, 'click', 'click:' || n, md5(n::text), '', '{}', %s, 1, %s,
                'ok', '', '', %s
            FROM generate_series(1, %s) AS n
            """,
            [integration.brand_id, integration.pk, state, next_at, NOW, count],
        )
        cursor.execute("ANALYZE affiliates_delivery")


def _rows_read() -> int:
    """How many rows of the outbox this transaction has read so far, found or not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
            " WHERE relname = 'affiliates_delivery'"
        )
        (count,) = cursor.fetchone()
    return int(count)


def _explain(query) -> dict:
    text = query.explain(format="json", analyze=True)
    return json.loads(text)[0]["Plan"]


def _nodes(plan: dict) -> list[dict]:
    return [plan, *(node for part in plan.get("Plans", []) for node in _nodes(part))]


def _indexes_of(query) -> set[str]:
    plan = _explain(query)
    assert not [one for one in _nodes(plan) if one["Node Type"] == "Seq Scan"]
    return _indexes_read(plan) - {"delivery_open_of_visitor"}


def _indexes_read(plan: dict) -> set[str]:
    """Without those of parts that were never executed."""
    return {
        node["Index Name"]
        for node in _nodes(plan)
        if "Index Name" in node and node["Actual Loops"]
    }
