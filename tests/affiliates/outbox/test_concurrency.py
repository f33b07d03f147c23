"""Several requests of one process under way to one provider at the same time."""

from __future__ import annotations

import threading
from collections import defaultdict
from datetime import timedelta

import pytest
from django.db import OperationalError

from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.pacing import next_width
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.sending import batch
from affiliates.outbox.sending.begin import start_all
from affiliates.outbox.sending.deliver import serve
from affiliates.outbox.sending.exchange import Exchange
from affiliates.outbox.sending.finish import Answered, finish
from affiliates.outbox.sending.health import record_answers
from affiliates.outbox.sending.lease import take
from affiliates.outbox.sending.provider import open_provider
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind
from tests.affiliates.outbox.outbox import (
    BUSY,
    OK,
    Clock,
    Wire,
    deliver,
    sale_of,
    state_of,
)
from tests.factories.integrations import NOW, DeliveryFactory
from tests.races import at_once, needs_postgresql

PATIENCE_SECONDS = 60
LATE = NOW + timedelta(days=300)


def clicks_of(integration, count: int, *, visitors: int | None = None) -> None:
    for number in range(count):
        DeliveryFactory(
            integration=integration,
            key=f"click:{number:03}",
            visitor_ref=f"visitor-{number % (visitors or count)}",
        )


def calls_by_visitor(urls: list[str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for url in urls:
        _, visitor, reference = url.split("/")
        found[visitor].append(reference)
    return found


@pytest.mark.django_db
def test_number_under_way_grows_with_the_answers(integration, clock):
    clicks_of(integration, 1 + 2 + 4 + 4)
    wire, lock = Wire(), threading.Lock()
    groups = [threading.Barrier(size) for size in (1, 2, 4, 4)]
    places = [group for group in groups for _ in range(group.parties)]

    def meet(_: str) -> None:
        with lock:
            group = places.pop(0)
        group.wait(PATIENCE_SECONDS)

    wire.on_call = meet
    serve(integration.pk, transport=wire, now=clock, under_way=4)

    assert set(Delivery.objects.values_list("state", "attempt_count")) == {("sent", 1)}
    assert len(set(wire.calls)) == 11
    assert DeliveryAttempt.objects.count() == 11


@pytest.mark.django_db
def test_slow_answer_holds_up_no_other_visitor(integration, clock):
    integration.requests_per_second = 50
    integration.save()
    clicks_of(integration, 20)
    wire, lock = Wire(), threading.Lock()
    others, begun = threading.Event(), []

    def wait(url: str) -> None:
        with lock:
            begun.append(url)
            number = len(begun)
        if number == 20:
            others.set()
        if number == 2:
            assert others.wait(PATIENCE_SECONDS)

    wire.on_call = wait
    serve(integration.pk, transport=wire, now=clock, under_way=4)

    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}


@pytest.mark.django_db
def test_order_of_a_visitor_is_kept_while_answers_fail(integration, clock):
    clicks_of(integration, 60, visitors=12)
    accepted: list[str] = []
    lock = threading.Lock()

    class Failing(Wire):
        def send(self, call: Call) -> Response:
            with lock:
                self.calls.append(call.url)
                if len(self.calls) % 7 == 0:
                    return BUSY
                accepted.append(call.url)
            return OK

    wire = Failing()
    while Delivery.objects.filter(next_at__isnull=False).exists():
        serve(integration.pk, transport=wire, now=clock, under_way=8)
        clock.pass_by(seconds=10)

    assert len(accepted) == len(set(accepted)) == 60
    assert len(wire.calls) == 69
    for references in calls_by_visitor(accepted).values():
        assert references == sorted(references)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_processes_with_several_under_way_send_each_once_and_in_order(
    integration, settings
):
    settings.AFFILIATES_DELIVERY_LEASE_SECONDS = 86_400
    clicks_of(integration, 120, visitors=15)
    wire, clock = Wire(), Clock()

    def work(_: int) -> None:
        while Delivery.objects.filter(next_at__isnull=False).exists():
            clock.pass_by(milliseconds=50)
            serve(integration.pk, transport=wire, now=clock, under_way=6)

    at_once(2, work)

    assert len(wire.calls) == len(set(wire.calls)) == 120
    for references in calls_by_visitor(wire.calls).values():
        assert references == sorted(references)
    assert DeliveryAttempt.objects.count() == 120


@pytest.mark.parametrize(
    ("width", "is_answering", "after"),
    [(1, True, 2), (8, True, 16), (8, False, 4), (3, False, 1), (1, False, 1)],
)
def test_width_follows_the_answers(width, is_answering, after):
    assert next_width(width, is_answering=is_answering) == after


@pytest.mark.django_db
def test_calls_under_way_when_the_pause_begins_do_not_lengthen_it(integration):
    failed = CallOutcome(OutcomeKind.RETRY, "No connection.")

    first = record_answers(integration.pk, [(failed, NOW)] * 3, now=NOW)
    later = NOW + timedelta(seconds=1)
    second = record_answers(integration.pk, [(failed, NOW)] * 9, now=later)
    third = record_answers(
        integration.pk, [(failed, NOW)] * 9, now=later + timedelta(seconds=2)
    )

    assert (first, second, third) == (False, True, True)
    health = IntegrationHealth.objects.get()
    assert health.failures == 5
    assert health.paused_until == later + timedelta(seconds=5)


@pytest.mark.django_db
def test_trial_that_fails_lengthens_the_pause(integration):
    failed = CallOutcome(OutcomeKind.RETRY, "No connection.")
    record_answers(integration.pk, [(failed, NOW)] * 5, now=NOW)

    trial = NOW + timedelta(seconds=5)
    is_paused = record_answers(integration.pk, [(failed, trial)], now=trial)

    assert is_paused
    health = IntegrationHealth.objects.get()
    assert (health.failures, health.paused_until) == (6, trial + timedelta(seconds=10))


def answered(integration, *, now) -> list[Answered]:
    """Every delivery of the integration, begun and accepted."""
    work = take(integration.pk, now=now)
    chosen = [(row, Operation(row.operation)) for row in work.deliveries]
    return [
        Answered(
            attempt=attempt,
            provider=open_provider(work.integration),
            exchange=Exchange(
                outcome=CallOutcome(OutcomeKind.OK), call_count=1, status_code=200
            ),
            result=TryResult(QueueState.SENT),
            at=now,
        )
        for attempt in start_all(chosen, carries_click=True, now=now)
    ]


@pytest.mark.django_db
def test_delivery_that_was_taken_over_spoils_no_other(integration, caplog):
    clicks_of(integration, 4)
    done = answered(integration, now=NOW)
    taken = done[1].attempt.delivery
    Delivery.objects.filter(pk=taken.pk).update(next_at=LATE)

    finished = finish(done, now=NOW)

    assert len(finished.recorded) == 3
    assert state_of(taken) == ("sending", 1)
    assert taken.next_at == LATE
    assert Delivery.objects.filter(state="sent").count() == 3
    assert DeliveryAttempt.objects.count() == 3
    assert f"Delivery {taken.pk} was taken over while being sent" in caplog.text


@pytest.mark.django_db
@pytest.mark.parametrize("count", [2, 20])
def test_queries_do_not_grow_with_the_deliveries_under_way(
    count, integration, django_assert_num_queries
):
    clicks_of(integration, count)

    with django_assert_num_queries(13):
        done = answered(integration, now=NOW)
    with django_assert_num_queries(7):
        finish(done, now=NOW)

    assert Delivery.objects.filter(state="sent").count() == count


@pytest.mark.django_db(transaction=True)
def test_sender_that_dies_leaves_what_was_under_way_unclear(
    integration, clock, monkeypatch, settings
):
    settings.AFFILIATES_DELIVERY_LEASE_SECONDS = 60
    for number in range(7):
        sale_of(integration, reference=f"invoice-{number}", visitor_ref=f"v{number}")
    sent = Wire()

    class Died(BaseException):
        pass

    def die(answers, *, now):
        if DeliveryAttempt.objects.count() == 3:
            raise Died
        return finish(answers, now=now)

    with monkeypatch.context() as patched:
        patched.setattr(batch, "finish", die)
        with pytest.raises(Died):
            serve(integration.pk, transport=sent, now=clock, under_way=4)
    states = Delivery.objects.order_by("pk").values_list("state", flat=True)
    assert sorted(states) == ["sending"] * 4 + ["sent"] * 3

    clock.pass_by(seconds=60)
    found = Wire(Response(status=200, headers={}, body=b"found"))
    deliver(found, clock)

    assert len(sent.calls) == len(set(sent.calls)) == 7
    assert [url.split("/")[0] for url in found.calls] == ["lookup"] * 4
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}


@pytest.mark.django_db(transaction=True)
def test_answers_are_recorded_when_the_database_is_back(
    integration, clock, monkeypatch
):
    failures = [OperationalError("away"), OperationalError("away")]

    def fail_first(answers, *, now):
        if failures:
            raise failures.pop()
        return finish(answers, now=now)

    monkeypatch.setattr(batch, "finish", fail_first)
    monkeypatch.setattr(batch, "RECORD_AGAIN_SECONDS", 0.01)
    sale = sale_of(integration)
    wire = Wire()

    serve(integration.pk, transport=wire, now=clock, under_way=4)

    assert (failures, len(wire.calls)) == ([], 1)
    assert state_of(sale) == ("sent", 1)


@pytest.mark.django_db(transaction=True)
def test_answers_are_not_recorded_when_their_lease_has_ended(
    integration, clock, monkeypatch
):
    def fail(answers, *, now):
        clock.pass_by(seconds=30)
        raise OperationalError("away")

    monkeypatch.setattr(batch, "finish", fail)
    monkeypatch.setattr(batch, "RECORD_AGAIN_SECONDS", 0.01)
    sale = sale_of(integration)

    with pytest.raises(OperationalError):
        serve(integration.pk, transport=Wire(), now=clock, under_way=4)

    assert state_of(sale) == ("sending", 1)
    assert clock.at == NOW + timedelta(seconds=60)
