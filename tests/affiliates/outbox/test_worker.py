"""The process that delivers until it is stopped."""

from __future__ import annotations

import signal
import threading
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from django.utils import timezone

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.sending import worker as delivery_worker
from affiliates.outbox.sending.worker import Worker
from affiliates.worker.selectors import health
from tests.affiliates.outbox.outbox import Wire, sale_of, state_of
from tests.factories.affiliates import BrandFactory
from tests.factories.integrations import (
    NOW,
    DeliveryFactory,
    TrackingIntegrationFactory,
)
from tests.races import needs_postgresql

PATIENCE_SECONDS = 60


class Running:
    """A worker in a thread, stopped when the block ends."""

    def __init__(
        self, wire: Wire, *, threads: int = 2, turn_seconds: float = 15
    ) -> None:
        started_at = timezone.now()
        self.worker = Worker(
            transport=wire,
            threads=threads,
            sweep_seconds=0.05,
            turn_seconds=turn_seconds,
            now=lambda: NOW + (timezone.now() - started_at),
        )
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Running:
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            self.worker.run()
        finally:
            connections.close_all()

    def __exit__(self, *_: object) -> None:
        self.worker.stop()
        self._thread.join(timeout=PATIENCE_SECONDS)
        assert not self._thread.is_alive()


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_all_done() -> bool:
    return not Delivery.objects.exclude(state="sent").exists()


@pytest.mark.parametrize("threads", ["0", "65"])
def test_number_of_threads_is_bounded(threads):
    with pytest.raises(CommandError, match="between 1 and 64"):
        call_command("deliver", "--threads", threads)


def health_of_deliveries() -> tuple[bool, bool]:
    [found] = [one for one in health(timezone.now()) if one.name == "deliveries"]
    return found.is_running, found.is_late


@pytest.mark.django_db
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_the_worker(number, monkeypatch):
    stopped = []

    class Told:
        def __init__(self, **_):
            pass

        def stop(self):
            stopped.append(True)

        def run(self, beat):
            beat(True)
            stopped.append(health_of_deliveries())
            signal.raise_signal(number)

    monkeypatch.setattr("affiliates.management.commands.deliver.Worker", Told)
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        call_command("deliver")
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)

    assert stopped == [(True, False), True]
    assert health_of_deliveries() == (False, False)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_worker_delivers_what_comes_while_it_runs(integration):
    wire = Wire()

    with Running(wire):
        DeliveryFactory(integration=integration, key="click:c1")
        wait_for(is_all_done)
        sale_of(integration)
        wait_for(is_all_done)

    assert [url.split("/")[0] for url in wire.calls] == ["click", "sale"]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_slow_provider_does_not_hold_up_another_brand(integration, adapter):
    other = TrackingIntegrationFactory(
        brand=BrandFactory(client_area="other.example.com"), provider=adapter.code
    )
    slow = sale_of(integration, visitor_ref="slow")
    quick = sale_of(other, visitor_ref="quick")
    answered = threading.Event()
    wire = Wire()
    wire.on_call = lambda url: (
        answered.wait(PATIENCE_SECONDS) if "/slow/" in url else None
    )

    with Running(wire):
        wait_for(lambda: state_of(quick) == ("sent", 1))
        wait_for(lambda: state_of(slow) == ("sending", 1))
        answered.set()
        wait_for(lambda: state_of(slow) == ("sent", 1))


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_backlog_of_one_brand_does_not_keep_the_only_thread(integration, adapter):
    other = TrackingIntegrationFactory(
        brand=BrandFactory(client_area="other.example.com"), provider=adapter.code
    )
    wire, has_begun = Wire(), threading.Event()

    def refill(url: str) -> None:
        if "/quick/" in url:
            return
        DeliveryFactory(
            integration=integration, visitor_ref=f"visitor-{len(wire.calls)}"
        )
        connections.close_all()
        has_begun.set()
        time.sleep(0.02)

    wire.on_call = refill
    DeliveryFactory(integration=integration)

    with Running(wire, threads=1, turn_seconds=0.2):
        assert has_begun.wait(PATIENCE_SECONDS)
        quick = sale_of(other, visitor_ref="quick")
        wait_for(lambda: state_of(quick) == ("sent", 1))


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_stopped_worker_finishes_the_call_under_way_and_gives_back_the_rest(
    integration,
):
    for number in range(3):
        DeliveryFactory(integration=integration, visitor_ref=f"visitor-{number}")
    wire, called = Wire(), threading.Event()

    with Running(wire) as running:

        def stop_during_call(_: str) -> None:
            running.worker.stop()
            called.set()

        wire.on_call = stop_during_call
        assert called.wait(PATIENCE_SECONDS)

    assert len(wire.calls) == 1
    assert sorted(Delivery.objects.values_list("state", flat=True)) == [
        "sent",
        "waiting",
        "waiting",
    ]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_worker_survives_a_lost_database(integration, monkeypatch, caplog):
    DeliveryFactory(integration=integration)
    failures = [
        OperationalError("password=secret"),
        OperationalError("password=secret"),
    ]
    due_integrations = delivery_worker.due_integrations

    def fail_first(now):
        if failures:
            raise failures.pop()
        return due_integrations(now)

    monkeypatch.setattr(delivery_worker, "due_integrations", fail_first)

    with Running(Wire()):
        wait_for(is_all_done)

    assert "The database failed while delivering: OperationalError" in caplog.text
    assert "secret" not in caplog.text
