"""The tasks that a host keeps in the database, run here instead of by ``db_worker``."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from functools import cache

from django.apps import apps
from django.utils.crypto import get_random_string

from affiliates.worker import purges
from affiliates.worker.registry import register
from affiliates.worker.types import Beat, Clock, ShouldStop

TASK_SECONDS = 1.0
# The results of our own requests are not read.
OWN_TASKS = "affiliates."
OWN_RESULTS_KEPT = timedelta(days=1)


def database_queues() -> list[str]:
    """The aliases of the host's task backends that keep their tasks in the database."""
    if not apps.is_installed("django_tasks_db"):
        return []
    from django_tasks_db.backend import DatabaseBackend
    from django_tasks_db.compat import task_backends

    return [
        backend.alias
        for backend in task_backends.all()
        if isinstance(backend, DatabaseBackend)
    ]


def is_used() -> bool:
    return bool(database_queues())


def run_ready(should_stop: ShouldStop) -> int:
    """Runs the ready tasks of all queues one after the other, also after a failure.

    Returns how many were run.
    """
    from django_tasks_db.management.commands.db_worker import Worker
    from django_tasks_db.models import DBTaskResult

    count = 0
    for alias in database_queues():
        ready = DBTaskResult.objects.ready().filter(backend_name=alias)
        # Asked without a lock first: on SQLite taking one stops every writer.
        while not should_stop() and ready.exists():
            Worker(
                queue_names=["*"],
                excluded_queue_names=[],
                backend_name=alias,
                batch=True,
                max_tasks=1,
                interval=0,
                startup_delay=False,
                worker_id=_worker_id(),
            ).run()
            count += 1
    return count


@purges.register("task results deleted")
def delete_own_results(*, now: datetime) -> int:
    """Deletes our finished tasks, not the host's; returns their number."""
    if not apps.is_installed("django_tasks_db"):
        return 0
    from django_tasks_db.models import DBTaskResult

    old = DBTaskResult.objects.finished().filter(
        task_path__startswith=OWN_TASKS, finished_at__lt=now - OWN_RESULTS_KEPT
    )
    count, _ = old.delete()
    return count


def run_tasks_always(now: Clock, should_stop: ShouldStop, beat: Beat) -> None:
    while not should_stop():
        run_ready(should_stop)
        beat(True)
        time.sleep(TASK_SECONDS)


@register(
    "tasks",
    every=timedelta(seconds=1),
    does="Runs the tasks of django-tasks that are kept in the database.",
    needs="A `django_tasks_db` backend in `TASKS`; without one there is no such job.",
    always=run_tasks_always,
    applies=is_used,
)
def run_tasks(now: Clock, should_stop: ShouldStop) -> str:
    count = run_ready(should_stop)
    return f"{count:,} tasks run." if count else ""


@cache
def _worker_id() -> str:
    return get_random_string(32)
