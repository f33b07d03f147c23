"""The job ``purge``, which has parts: each package registers its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol

from affiliates.worker.faults import drop_dead_connections, log_fault
from affiliates.worker.registry import register as register_job
from affiliates.worker.types import Clock, JobFailed, ShouldStop


class Purge(Protocol):
    """Returns how many rows it purged."""

    def __call__(self, *, now: datetime) -> int: ...


_purges: dict[str, Purge] = {}


def register(said: str) -> Callable[[Purge], Purge]:
    """Registers the decorated function as a part of the job ``purge``.

    ``said`` follows that number in the report, such as "saved lists deleted".
    """

    def decorate(purge: Purge) -> Purge:
        _purges[said] = purge
        return purge

    return decorate


@register_job(
    "purge",
    every=timedelta(days=1),
    does="Deletes and empties old rows: deliveries, e-mails, saved lists, imports, "
    "applications that nobody confirmed and declined applications.",
    needs="The storage of saved lists (`MEDIA_ROOT`).",
)
def purge(now: Clock, should_stop: ShouldStop) -> str:
    """Runs every part, also after another failed. Raises JobFailed, naming those."""
    done, failed = [], []
    for said in sorted(_purges):
        try:
            count = _purges[said](now=now())
        except Exception as fault:  # noqa: BLE001 - no part stops another
            failed.append(f"{said}: {log_fault('purge', fault)}")
            drop_dead_connections()
        else:
            done += [f"{count:,} {said}"] if count else []
    if failed:
        raise JobFailed(f"Not done: {', '.join(failed)}")
    return f"{', '.join(done)}." if done else ""
