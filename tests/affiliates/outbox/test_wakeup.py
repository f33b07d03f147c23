"""A queued delivery asks for a pass; the sweep finds it in any case."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone
from django_tasks import task_backends

from affiliates.outbox import wakeup
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.sending import tasks
from affiliates.outbox.sending.tasks import deliver_pass
from affiliates.outbox.wakeup import wake
from tests.affiliates.outbox.outbox import Wire
from tests.factories.integrations import DeliveryFactory

if not apps.is_installed("django_tasks_db"):
    pytest.skip("the host has no queue of tasks", allow_module_level=True)

from django_tasks_db.models import DBTaskResult

DATABASE = "django_tasks_db.DatabaseBackend"
IMMEDIATE = "django_tasks.backends.immediate.ImmediateBackend"
DUMMY = "django_tasks.backends.dummy.DummyBackend"


@pytest.fixture(autouse=True)
def _first_wake_of_the_process(monkeypatch):
    monkeypatch.setattr(wakeup, "_last_at", float("-inf"))
    monkeypatch.setattr(wakeup, "_last_request", None)


@pytest.fixture
def use_backend(settings):
    """Switch the backend of tasks, and back at the end."""

    def use(path: str) -> None:
        settings.TASKS = {"default": {"BACKEND": path}}
        _forget_backends()

    yield use
    _forget_backends()


def _forget_backends() -> None:
    task_backends.__dict__.pop("settings", None)
    task_backends._settings = None
    if hasattr(task_backends._connections, "default"):
        del task_backends["default"]


@pytest.mark.django_db(transaction=True)
def test_pass_is_asked_for_when_the_transaction_is_committed():
    with transaction.atomic():
        wake()
        assert DBTaskResult.objects.count() == 0

    (asked,) = DBTaskResult.objects.all()
    assert asked.task_path == deliver_pass.module_path
    assert asked.status == "READY"


@pytest.mark.django_db(transaction=True)
def test_nothing_is_asked_for_when_the_transaction_is_rolled_back():
    with transaction.atomic():
        wake()
        transaction.set_rollback(True)

    assert DBTaskResult.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_second_holds_one_request_of_a_process(monkeypatch):
    times = iter([100.0, 100.1, 100.9, 101.0])
    monkeypatch.setattr(wakeup, "monotonic", lambda: next(times))

    for _ in range(4):
        wake()
        DBTaskResult.objects.update(status="SUCCESSFUL")

    assert DBTaskResult.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("status", "count"),
    [("READY", 1), ("RUNNING", 2), ("SUCCESSFUL", 2), ("FAILED", 2)],
)
def test_no_second_request_while_the_first_waits(status, count, monkeypatch):
    times = iter([100.0, 102.0])
    monkeypatch.setattr(wakeup, "monotonic", lambda: next(times))

    wake()
    DBTaskResult.objects.update(status=status)
    wake()

    assert DBTaskResult.objects.count() == count


@pytest.mark.django_db(transaction=True)
def test_request_that_was_pruned_does_not_wait(monkeypatch):
    times = iter([100.0, 102.0])
    monkeypatch.setattr(wakeup, "monotonic", lambda: next(times))

    wake()
    DBTaskResult.objects.all().delete()
    wake()

    assert DBTaskResult.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("backend", [IMMEDIATE, DUMMY])
def test_nothing_is_delivered_in_the_callers_process(backend, use_backend, monkeypatch):
    use_backend(backend)
    ran = []
    monkeypatch.setattr(
        "affiliates.outbox.sending.tasks.deliver_due", lambda **_: ran.append(1)
    )

    wake()

    assert ran == []
    assert DBTaskResult.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_host_without_tasks_is_served_by_the_sweep(monkeypatch):
    monkeypatch.setitem(sys.modules, "affiliates.outbox.sending.tasks", None)

    wake()

    assert DBTaskResult.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_queue_that_fails_disturbs_nobody(monkeypatch, caplog):
    def fail():
        raise RuntimeError("secret text")

    monkeypatch.setattr(wakeup, "_enqueue", fail)

    wake()

    assert "RuntimeError" in caplog.text
    assert "secret text" not in caplog.text


@pytest.mark.django_db
def test_task_leaves_the_hosts_worker_to_others_in_time(integration, monkeypatch):
    seconds = iter([100.0, 100.0, 121.0])
    monkeypatch.setattr(tasks, "monotonic", lambda: next(seconds, 121.0))
    wire = Wire()
    monkeypatch.setattr(tasks, "Transport", lambda: nullcontext(wire))
    for number in range(5):
        DeliveryFactory(
            integration=integration,
            visitor_ref=f"visitor-{number}",
            created_at=timezone.now(),
        )

    report = deliver_pass.call()

    assert report.startswith("1 delivered")
    assert len(wire.calls) == 1
    assert (
        Delivery.objects.filter(state="waiting", next_at__lte=timezone.now()).count()
        == 4
    )


@pytest.mark.django_db
def test_task_is_one_pass(integration, monkeypatch):
    integration.is_active = False
    integration.save()
    DeliveryFactory(integration=integration)

    report = deliver_pass.call()

    assert report == (
        "0 delivered, 0 to be sent again, 0 unclear, 0 refused, 1 given up, 0 postponed"
    )
    assert Delivery.objects.get().state == "given_up"
