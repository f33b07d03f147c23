"""Faults of jobs: logged, shown to operators, and survived by the threads."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import Error, connections

from affiliates.telemetry.stacks import stack_of
from affiliates.worker.types import JobFailed

logger = logging.getLogger(__name__)


def told(fault: BaseException) -> str:
    """A fault's text for operators. It names no person."""
    return str(fault) if isinstance(fault, JobFailed) else type(fault).__name__


def log_fault(name: str, fault: BaseException) -> str:
    """Logs the fault of the job ``name``. Returns its text for operators."""
    if isinstance(fault, JobFailed):
        logger.warning("%s: %s", name, fault)
    elif isinstance(fault, Error):
        logger.error("%s: the database failed: %s", name, type(fault).__name__)
    else:
        logger.error("%s failed: %s", name, stack_of(fault))
    return told(fault)


def survive(name: str, act: Callable[[], object]) -> None:
    """Calls ``act``, on a connection that works, and logs what it raises."""
    drop_dead_connections()
    try:
        act()
    except Exception as fault:  # noqa: BLE001 - the next look must come
        log_fault(name, fault)
        drop_dead_connections()


def survive_in_thread(name: str, act: Callable[[], object]) -> None:
    try:
        survive(name, act)
    finally:
        connections.close_all()


def drop_dead_connections() -> None:
    """Django's ``close_old_connections``, but for a transaction that a caller is in."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
