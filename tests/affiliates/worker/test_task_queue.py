"""The tasks that a host keeps in the database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.utils import timezone

from affiliates.worker import task_queue

if not apps.is_installed("django_tasks_db"):
    pytest.skip("the host has no queue of tasks", allow_module_level=True)

from django_tasks import task
from django_tasks_db.management.commands import db_worker
from django_tasks_db.models import DBTaskResult

pytestmark = pytest.mark.django_db
done: list[str] = []


@task()
def note(text: str) -> str:
    done.append(text)
    return text


@task(queue_name="default")
def fail() -> None:
    raise RuntimeError("of the host's")


@pytest.fixture(autouse=True)
def _nothing_done(monkeypatch):
    done.clear()
    # It would close the connection that holds the test's transaction.
    monkeypatch.setattr(db_worker, "close_old_connections", lambda: None)


def run_ready(should_stop=lambda: False):
    task_queue.run_ready(should_stop)


def test_all_that_is_ready_is_run_once():
    for text in "abc":
        note.enqueue(text)

    run_ready()
    run_ready()

    assert done == ["a", "b", "c"]
    assert set(DBTaskResult.objects.values_list("status", flat=True)) == {"SUCCESSFUL"}


def test_one_that_fails_keeps_no_other():
    fail.enqueue()
    note.enqueue("after")

    run_ready()

    assert done == ["after"]
    assert DBTaskResult.objects.failed().count() == 1


def test_what_is_for_later_waits():
    note.using(run_after=timezone.now() + timedelta(hours=1)).enqueue("later")

    run_ready()

    assert done == []


def test_stops_after_the_task_under_way():
    for text in "abc":
        note.enqueue(text)

    run_ready(lambda: bool(done))

    assert done == ["a"]
    assert DBTaskResult.objects.ready().count() == 2


def test_nothing_is_locked_while_nothing_is_ready(django_assert_num_queries):
    with django_assert_num_queries(1):
        run_ready()


def test_own_results_go_after_a_day_and_the_hosts_stay():
    now = timezone.now()
    note.enqueue("the host's")
    run_ready()
    theirs = DBTaskResult.objects.get()
    for hours in (23, 25):
        theirs.pk = None
        theirs.task_path = "affiliates.outbox.sending.tasks.deliver_pass"
        theirs.finished_at = now - timedelta(hours=hours)
        theirs._state.adding = True
        theirs.id = DBTaskResult._meta.pk.get_default()
        theirs.save()
    DBTaskResult.objects.exclude(task_path__startswith="affiliates.").update(
        finished_at=now - timedelta(days=99)
    )

    assert task_queue.delete_own_results(now=now) == 1

    assert DBTaskResult.objects.count() == 2
