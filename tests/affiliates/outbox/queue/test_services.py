"""The steps of a queued row, by the example of deliveries."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Q

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue import services
from affiliates.outbox.queue.rules import ENDED, TRIED_NEXT, QueueState, TryResult
from tests.factories.emails import EmailFactory
from tests.factories.integrations import (
    NOW,
    DeliveryFactory,
    TrackingIntegrationFactory,
)
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db

LEASE = timedelta(minutes=1)
SENT = TryResult(QueueState.SENT, "Accepted.")


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand)


@pytest.fixture
def rows(integration):
    return DeliveryFactory.create_batch(3, integration=integration)


def take(*, now=NOW, **options):
    due = Delivery.objects.filter(next_at__lte=now).order_by("next_at", "pk")
    options = {"limit": 9, "until": now + LEASE} | options
    return [row.pk for row in services.take(due, **options)]


def stored(row) -> tuple:
    row = Delivery.objects.get(pk=row.pk)
    return row.state, row.attempt_count, row.next_at, row.finished_at


def test_taken_rows_are_nobody_elses_until_the_lease_ends(rows):
    first, second, third = (row.pk for row in rows)

    assert take(limit=2) == [first, second]
    assert take() == [third]
    assert take(now=NOW + LEASE - timedelta(microseconds=1)) == []
    assert take(now=NOW + LEASE, limit=3) == [first, second, third]


def test_rows_that_were_not_chosen_stay_due(rows):
    assert take(choose=lambda found: list(found)[1:2]) == [rows[1].pk]
    assert take() == [rows[0].pk, rows[2].pk]
    assert take(now=NOW + LEASE, choose=lambda found: []) == []


def test_rows_of_several_leases_are_begun_together(rows, django_assert_num_queries):
    ahead = NOW + LEASE
    Delivery.objects.filter(pk=rows[1].pk).update(next_at=ahead)
    rows[1].next_at = ahead
    later = NOW + 2 * LEASE

    with django_assert_num_queries(3):
        begun = services.begin_all(rows, until=later)

    assert begun == rows
    assert {stored(row) for row in rows} == {("sending", 1, later, None)}
    assert {(row.state, row.attempt_count, row.next_at) for row in rows} == {
        ("sending", 1, later)
    }


def test_row_that_was_taken_over_is_not_begun_with_the_others(rows):
    elsewhere, later = NOW + LEASE, NOW + 2 * LEASE
    Delivery.objects.filter(pk=rows[1].pk).update(next_at=elsewhere)

    begun = services.begin_all(rows, until=later)

    assert begun == [rows[0], rows[2]]
    assert stored(rows[1]) == ("waiting", 0, elsewhere, None)
    assert stored(rows[0]) == stored(rows[2]) == ("sending", 1, later, None)


def test_results_are_written_together(rows):
    again = TryResult(QueueState.RETRY, "Later.", NOW + LEASE)
    results = [SENT, again, SENT]

    services.finish_all(
        [
            (row, result, {"payload": {"number": number}})
            for number, (row, result) in enumerate(zip(rows, results, strict=True))
        ],
        now=NOW,
    )

    assert stored(rows[0]) == stored(rows[2]) == ("sent", 0, None, NOW)
    assert stored(rows[1]) == ("retry", 0, NOW + LEASE, None)
    payloads = Delivery.objects.order_by("pk").values_list("payload", "detail")
    assert list(payloads) == [
        ({"number": 0}, "Accepted."),
        ({"number": 1}, "Later."),
        ({"number": 2}, "Accepted."),
    ]
    assert rows[1].detail == "Later."


def test_results_are_not_written_together_when_a_lease_is_lost(rows):
    Delivery.objects.filter(pk=rows[1].pk).update(next_at=NOW + LEASE)

    with pytest.raises(services.LeaseLost), transaction.atomic():
        services.finish_all([(row, SENT, {}) for row in rows], now=NOW)

    assert set(Delivery.objects.values_list("state", "finished_at")) == {
        ("waiting", None)
    }
    assert rows[0].state == "waiting"


def test_begun_try_is_counted_and_its_lease_renewed(rows):
    later = NOW + 2 * LEASE

    assert services.begin(rows[0], until=later) is True

    assert stored(rows[0]) == ("sending", 1, later, None)
    assert (rows[0].state, rows[0].attempt_count) == ("sending", 1)


def test_row_that_is_not_as_asked_is_not_begun(rows):
    before = stored(rows[0])

    assert not services.begin(rows[0], until=NOW + LEASE, where=Q(operation="sale"))

    assert stored(rows[0]) == before
    assert rows[0].state == "waiting"


@pytest.mark.parametrize(
    "step",
    [
        lambda row: services.begin(row, until=NOW + 3 * LEASE),
        lambda row: services.finish(row, SENT, now=NOW + LEASE),
        lambda row: services.release([row], now=NOW + LEASE),
    ],
)
def test_process_whose_lease_ended_writes_nothing(step, rows):
    (late,) = services.take(
        Delivery.objects.filter(pk=rows[0].pk), limit=1, until=NOW + LEASE
    )
    take(now=NOW + LEASE)
    before = stored(late)

    assert not step(late)

    assert stored(late) == before == ("waiting", 0, NOW + 2 * LEASE, None)


@pytest.mark.parametrize(
    ("result", "finished_at"),
    [
        (TryResult(QueueState.RETRY, "Later.", NOW + LEASE), None),
        (TryResult(QueueState.UNCLEAR, "No answer."), None),
        (TryResult(QueueState.FAILED, "Refused."), NOW),
        (TryResult(QueueState.GIVEN_UP, "x" * 501), NOW),
        (SENT, NOW),
    ],
)
def test_result_is_recorded(result, finished_at, rows):
    assert services.finish(rows[0], result, now=NOW, remote_ref="a") is True

    expected = (result.state, 0, result.next_at, finished_at)
    assert stored(rows[0]) == expected
    row = Delivery.objects.get(pk=rows[0].pk)
    assert (row.detail, row.remote_ref) == (result.detail[:500], "a")


def test_released_rows_are_due_at_once(rows):
    services.take(Delivery.objects.filter(pk=rows[0].pk), limit=1, until=NOW + LEASE)
    taken = list(Delivery.objects.filter(pk=rows[0].pk))

    services.release(taken, now=NOW)
    services.release([], now=NOW)

    assert stored(rows[0]) == ("waiting", 0, NOW, None)


def test_interrupted_are_those_whose_lease_ended_while_being_sent(rows):
    for row in rows[:2]:
        services.begin(row, until=NOW + LEASE)
    services.finish(rows[1], SENT, now=NOW)
    everything = Delivery.objects.all()

    early = services.interrupted(everything, now=NOW)
    late = services.interrupted(everything, now=NOW + LEASE)

    assert (list(early), list(late)) == ([], [rows[0]])


def test_row_queued_again_is_due_and_unfinished(rows):
    services.finish(rows[0], TryResult(QueueState.FAILED), now=NOW)

    row = Delivery.objects.filter(pk=rows[0].pk)
    assert services.queue_again(row, now=NOW + LEASE, created_at=NOW + LEASE) == 1

    assert stored(rows[0]) == ("retry", 0, NOW + LEASE, None)
    assert row.get().created_at == NOW + LEASE


def test_batches_hold_every_row_once(rows, monkeypatch):
    monkeypatch.setattr(services, "BATCH", 2)

    found = Delivery.objects.order_by("pk")
    batches = [list(one) for one in services.in_batches(found)]

    assert batches == [rows[:2], rows[2:]]


@pytest.mark.parametrize(
    ("state", "next_at"),
    [*((state, None) for state in TRIED_NEXT), *((state, NOW) for state in ENDED)],
)
def test_database_refuses_a_state_without_its_next_try(
    state, next_at, brand, integration
):
    fields = {"state": state, "next_at": next_at}
    for make in (
        lambda: DeliveryFactory(integration=integration, **fields),
        lambda: EmailFactory(brand=brand, **fields),
    ):
        refused = pytest.raises(IntegrityError, match="has_next_attempt")
        with refused, transaction.atomic():
            make()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_many_processes_take_each_row_once(integration):
    made = DeliveryFactory.create_batch(60, integration=integration)

    def take_all(_: int) -> list[int]:
        taken = []
        while found := take(limit=7):
            taken += found
        return taken

    taken = [pk for mine in at_once(4, take_all) for pk in mine]

    assert sorted(taken) == [row.pk for row in made]
