"""All background jobs: each package registers its own, and so may the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured

from affiliates.conf import conf
from affiliates.worker.types import VERIFICATION, Job, RunAlways, RunJob, UnknownJob

MAX_NAME = 64
SHORTEST_INTERVAL = timedelta(seconds=1)

_jobs: dict[str, Job] = {}


def register(
    name: str,
    *,
    every: timedelta,
    does: str,
    needs: str = "",
    always: RunAlways | None = None,
) -> Callable[[RunJob], RunJob]:
    """Registers the decorated function as the background job ``name``.

    A host does this in ``affiliates_hooks.py`` of one of its apps. The function is called
    as ``run(now, should_stop)``, outside any transaction and by one process at a time.
    ``now()`` is the time; ``should_stop()`` is true once the process shall end. It
    returns a sentence about what it did, or "" if there was nothing to do, and must bear
    being run again: a process may die after the work.

    ``every`` is the usual interval, one second at least. ``does`` and ``needs`` are
    sentences for the staff and the deployer. ``always`` is for a job whose rows are taken
    one by one: every process of the worker calls ``always(now, should_stop, beat)``,
    which works until it shall stop and reports each round by ``beat(succeeded)``.

    Raises ImproperlyConfigured for a name that is taken or no identifier.
    """

    def decorate(run: RunJob) -> RunJob:
        _add(
            Job(
                name=name,
                every=every,
                run=run,
                does=does,
                needs=needs,
                always=always,
            )
        )
        return run

    return decorate


def registered() -> list[Job]:
    """The jobs of this installation by name, with the intervals that the host sets."""
    return [_at_interval(_jobs[name]) for name in sorted(_jobs)]


def job_names() -> list[str]:
    return [job.name for job in registered()]


def job_named(name: str) -> Job:
    """Raises UnknownJob, which names the jobs that exist."""
    jobs = {job.name: job for job in registered()}
    if name not in jobs:
        raise UnknownJob(f"There is no job {name!r}. The jobs are {', '.join(jobs)}.")
    return jobs[name]


def is_registered(name: str) -> bool:
    return name in _jobs


def _add(job: Job) -> None:
    if not job.name.isidentifier() or len(job.name) > MAX_NAME:
        raise ImproperlyConfigured(
            f"The name of the background job {job.name!r} must be an identifier of at "
            f"most {MAX_NAME} characters."
        )
    if job.name in _jobs or job.name == VERIFICATION:
        raise ImproperlyConfigured(
            f"There is a background job {job.name!r} already: choose another name."
        )
    if job.every < SHORTEST_INTERVAL:
        raise ImproperlyConfigured(
            f"The interval of the background job {job.name!r} must be at least a second."
        )
    _jobs[job.name] = job


def _at_interval(job: Job) -> Job:
    seconds = conf.job_intervals.get(job.name)
    return job if seconds is None else replace(job, every=timedelta(seconds=seconds))
