"""Requests a delivery pass at once instead of at the next sweep."""

from __future__ import annotations

import logging
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from django.db import router, transaction

from affiliates.outbox.models.delivery import Delivery

if TYPE_CHECKING:
    from django_tasks.base import TaskResult

logger = logging.getLogger(__name__)

MIN_SECONDS_BETWEEN = 1.0
# These would deliver within the request, or not at all.
_BACKENDS_WITHOUT_WORKERS = frozenset({"ImmediateBackend", "DummyBackend"})

_lock = Lock()
_last_at = float("-inf")
_last_request: TaskResult[str] | None = None


def wake() -> None:
    """Asks a worker to send due deliveries once this transaction is committed.

    Asks at most once a second per process, not while its last request waits, and only
    where the host has django-tasks with a backend that hands work to another process.
    Never raises: the worker finds the rest within a second. A visit never asks, since
    the host's queue may be a network away.
    """
    transaction.on_commit(_ask, using=router.db_for_write(Delivery))


def _ask() -> None:
    if not _is_due():
        return
    try:
        _enqueue()
    except ImportError:
        # The host has no django-tasks.
        return
    except Exception as error:  # noqa: BLE001 - any error of a host's queue
        logger.warning("No delivery pass could be queued: %s", type(error).__name__)


def _is_due() -> bool:
    global _last_at
    at = monotonic()
    with _lock:
        if at - _last_at < MIN_SECONDS_BETWEEN:
            return False
        _last_at = at
        return True


def _enqueue() -> None:
    global _last_request
    from affiliates.outbox.sending.tasks import deliver_pass

    backend = deliver_pass.get_backend()
    if type(backend).__name__ in _BACKENDS_WITHOUT_WORKERS:
        return
    # Where no worker runs, requests would only pile up.
    if backend.supports_get_result and _is_waiting(_last_request):
        return
    _last_request = deliver_pass.enqueue()


def _is_waiting(request: TaskResult[str] | None) -> bool:
    from django_tasks.base import TaskResultStatus
    from django_tasks.exceptions import TaskResultDoesNotExist

    if request is None:
        return False
    try:
        request.refresh()
    except TaskResultDoesNotExist:
        return False
    return request.status is TaskResultStatus.READY
