"""What the worker does: the product's own jobs, and those that the host adds."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from affiliates.canary.rules import EVERY
from affiliates.canary.services import run_canaries
from affiliates.commissions.services.maturing import mature_all
from affiliates.conf import conf
from affiliates.emails.alerts import notify_of_integrations
from affiliates.emails.sending import MailServerUnusable, describe, send_due
from affiliates.emails.services import empty_emails
from affiliates.exports.services import make_lists, remove_lists
from affiliates.imports.services import forget_imports, work_at_imports
from affiliates.integrations.delivery.purge import purge_deliveries
from affiliates.integrations.delivery.sending.worker import Worker
from affiliates.integrations.http.client import Transport
from affiliates.payout_runs.services.schedule import work_at_runs
from affiliates.recruitment.services.applications import forget_unverified
from affiliates.statistics.services import count_changes
from affiliates.statistics.summaries import send_summaries
from affiliates.worker import task_queue
from affiliates.worker.types import (
    VERIFICATION,
    Clock,
    JobFailed,
    PeriodicJob,
    SharedJob,
    ShouldStop,
)

TASK_SECONDS = 1.0


def periodic_jobs() -> list[PeriodicJob]:
    """Raises ImproperlyConfigured for a job of the host's that cannot be done."""
    own = [
        PeriodicJob("emails", timedelta(seconds=5), send_emails),
        PeriodicJob("alerts", timedelta(minutes=5), alert_staff),
        PeriodicJob("commissions", timedelta(minutes=1), mature_commissions),
        PeriodicJob("lists", timedelta(seconds=5), save_lists),
        PeriodicJob("imports", timedelta(seconds=5), run_imports),
        PeriodicJob("statistics", timedelta(minutes=1), count_statistics),
        PeriodicJob("summaries", timedelta(hours=1), summarise_months),
        PeriodicJob("payout_runs", timedelta(minutes=1), payout_runs),
        PeriodicJob("purge", timedelta(days=1), purge),
        PeriodicJob("canary", EVERY, walk_canaries),
    ]
    return own + _jobs_of_host(
        {job.name for job in own} | {"deliveries", "tasks", VERIFICATION}
    )


def shared_jobs() -> list[SharedJob]:
    jobs = [SharedJob("deliveries", deliver)]
    if task_queue.database_queues():
        jobs.append(SharedJob("tasks", run_tasks))
    return jobs


def job_names() -> list[str]:
    periodic, shared = periodic_jobs(), shared_jobs()
    return sorted([job.name for job in periodic] + [job.name for job in shared])


def deliver(now: Clock, should_stop: ShouldStop, beat: Callable[[bool], None]) -> None:
    with Transport() as transport:
        worker = Worker(transport=transport, now=now)

        def after_sweep(succeeded: bool) -> None:
            beat(succeeded)
            if should_stop():
                worker.stop()

        worker.run(after_sweep)


def run_tasks(
    now: Clock, should_stop: ShouldStop, beat: Callable[[bool], None]
) -> None:
    while not should_stop():
        task_queue.run_ready(should_stop)
        beat(True)
        time.sleep(TASK_SECONDS)


def send_emails(now: Clock, should_stop: ShouldStop) -> str:
    try:
        states = send_due(now=now, should_stop=should_stop)
    except MailServerUnusable as error:
        raise JobFailed(f"The mail server cannot be used ({error})") from error
    return describe(states) if states.total() else ""


def alert_staff(now: Clock, should_stop: ShouldStop) -> str:
    down = notify_of_integrations(now=now())
    return f"{down:,} integrations do not answer." if down else ""


def mature_commissions(now: Clock, should_stop: ShouldStop) -> str:
    matured = mature_all(now=now, should_stop=should_stop)
    return str(matured) if matured.total else ""


def save_lists(now: Clock, should_stop: ShouldStop) -> str:
    made = make_lists(now=now, should_stop=should_stop)
    return f"{made:,} lists saved." if made else ""


def run_imports(now: Clock, should_stop: ShouldStop) -> str:
    done = work_at_imports(clock=now, should_stop=should_stop)
    return f"{done:,} imports checked or written." if done else ""


def walk_canaries(now: Clock, should_stop: ShouldStop) -> str:
    """A fault is stored and no failure of the job: it would walk again in minutes."""
    return " ".join(f"{run}." for run in run_canaries(now=now()))


def count_statistics(now: Clock, should_stop: ShouldStop) -> str:
    counted = count_changes(now=now, should_stop=should_stop)
    return f"{counted:,} days counted." if counted else ""


def summarise_months(now: Clock, should_stop: ShouldStop) -> str:
    count = send_summaries(now=now())
    return f"{count:,} monthly summaries queued." if count else ""


def payout_runs(now: Clock, should_stop: ShouldStop) -> str:
    return work_at_runs(clock=now, should_stop=should_stop)


def purge(now: Clock, should_stop: ShouldStop) -> str:
    at = now()
    deliveries = 0
    if conf.keep_deliveries_days:
        kept = timedelta(days=conf.keep_deliveries_days)
        deliveries = purge_deliveries(older_than=kept, now=at)
    kept = timedelta(days=conf.keep_emails_days)
    emails = empty_emails(older_than=kept, now=at)
    results = task_queue.delete_own_results(now=at)
    lists = remove_lists(now=at)
    imports = forget_imports(now=at)
    applications = forget_unverified(now=at)
    if not deliveries + emails + results + lists + imports + applications:
        return ""
    return (
        f"{deliveries:,} deliveries deleted, {emails:,} e-mails emptied, "
        f"{results:,} task results and {lists:,} saved lists deleted, "
        f"{imports:,} imports withdrawn, "
        f"{applications:,} applications forgotten."
    )


def _jobs_of_host(taken: set[str]) -> list[PeriodicJob]:
    return [
        _job_of_host(name, *entry, taken=taken)
        for name, entry in conf.worker_jobs.items()
    ]


def _job_of_host(
    name: str, path: str, seconds: float, *, taken: set[str]
) -> PeriodicJob:
    if name in taken or seconds < 1:
        raise ImproperlyConfigured(
            f"AFFILIATES_WORKER_JOBS: {name!r} needs a name of its own and a second."
        )
    try:
        act = import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"AFFILIATES_WORKER_JOBS: {error}") from error
    return PeriodicJob(name, timedelta(seconds=seconds), partial(_call, act))


def _call(act: Callable[..., object], now: Clock, should_stop: ShouldStop) -> str:
    at: datetime = now()
    report = act(now=at)
    return report if isinstance(report, str) else ""
