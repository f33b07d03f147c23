"""The jobs of no other package: the host's tasks, and the daily purge of all packages."""

from __future__ import annotations

import time
from datetime import timedelta

from affiliates.worker import purges, task_queue
from affiliates.worker.registry import register
from affiliates.worker.types import Beat, Clock, ShouldStop

TASK_SECONDS = 1.0

purges.register("task results deleted")(task_queue.delete_own_results)


@register(
    "purge",
    every=timedelta(days=1),
    does="Deletes and empties old rows: deliveries, e-mails, saved lists, imports and "
    "applications that nobody confirmed, results of our tasks.",
    needs="The storage of saved lists (`MEDIA_ROOT`).",
)
def purge(now: Clock, should_stop: ShouldStop) -> str:
    counts = purges.purge_all(now=now())
    told = [f"{count:,} {said}" for said, count in counts.items() if count]
    return f"{', '.join(told)}." if told else ""


def run_tasks_always(now: Clock, should_stop: ShouldStop, beat: Beat) -> None:
    while not should_stop():
        task_queue.run_ready(should_stop)
        beat(True)
        time.sleep(TASK_SECONDS)


@register(
    "tasks",
    every=timedelta(seconds=1),
    does="Runs the tasks of django-tasks that are kept in the database.",
    needs="A `django_tasks_db` backend in `TASKS`; without one there is no such job.",
    always=run_tasks_always,
    applies=task_queue.is_used,
)
def run_tasks(now: Clock, should_stop: ShouldStop) -> str:
    count = task_queue.run_ready(should_stop)
    return f"{count:,} tasks run." if count else ""
