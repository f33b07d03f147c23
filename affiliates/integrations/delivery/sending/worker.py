"""Delivering for ever: a few threads, each with one integration at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from time import monotonic, sleep

from django.db import Error, close_old_connections, connections
from django.utils import timezone

from affiliates.integrations.delivery.sending.batch import Clock
from affiliates.integrations.delivery.sending.deliver import serve
from affiliates.integrations.delivery.sending.exchange import CallSender
from affiliates.integrations.delivery.sending.lease import due_integrations
from affiliates.integrations.delivery.sending.switched_off import close_switched_off

logger = logging.getLogger(__name__)

DEFAULT_THREADS = 4
SWEEP_SECONDS = 1.0
# After a turn an integration goes to the end of the queue for a thread.
TURN_SECONDS = 15.0


class Worker:
    """Sweeps every second and serves each integration in a thread of its own.

    So a provider that answers slowly holds up no other, and where there are more of them
    than threads they take turns; more requests at a time to one provider need more
    processes. Affiliates' webhooks have as many threads of their own: however many of
    them do not answer, nothing of a brand's waits. ``stop`` may be called from a signal
    handler.
    """

    def __init__(
        self,
        *,
        transport: CallSender,
        threads: int = DEFAULT_THREADS,
        sweep_seconds: float = SWEEP_SECONDS,
        turn_seconds: float = TURN_SECONDS,
        now: Clock = timezone.now,
    ) -> None:
        self._transport = transport
        self._sweep_seconds = sweep_seconds
        self._turn_seconds = turn_seconds
        self._now = now
        # No Event: one that is being waited for cannot be set by a signal handler.
        self._is_stopped = False
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="deliver")
        self._pool_of_affiliates = ThreadPoolExecutor(
            threads, thread_name_prefix="deliver_to_affiliate"
        )
        self._busy: dict[int, Future[None]] = {}

    def stop(self) -> None:
        """End soon: calls under way are finished, what else was taken is given back."""
        self._is_stopped = True

    def run(self, after_sweep: Callable[[bool], None] = lambda succeeded: None) -> None:
        """Deliver until stopped. A lost database is tried again at every sweep."""
        with self._pool, self._pool_of_affiliates:
            while not self._is_stopped:
                after_sweep(_survive(self._sweep))
                if not self._is_stopped:
                    sleep(self._sweep_seconds)
            wait(self._busy.values())

    def _sweep(self) -> None:
        close_switched_off(now=self._now())
        self._busy = {
            key: future for key, future in self._busy.items() if not future.done()
        }
        for integration_id, affiliate_id in due_integrations(self._now()):
            if integration_id not in self._busy:
                pool = self._pool if affiliate_id is None else self._pool_of_affiliates
                self._busy[integration_id] = pool.submit(
                    _in_thread, partial(self._serve, integration_id)
                )

    def _serve(self, integration_id: int) -> None:
        until = monotonic() + self._turn_seconds

        def is_over() -> bool:
            return self._is_stopped or monotonic() >= until

        while not is_over():
            _, free_at = serve(
                integration_id,
                transport=self._transport,
                now=self._now,
                should_stop=is_over,
            )
            if free_at is None:
                return
            pause = (free_at - self._now()).total_seconds()
            sleep(min(max(pause, 0), self._sweep_seconds))


def _in_thread(act: Callable[[], None]) -> None:
    try:
        _survive(act)
    finally:
        connections.close_all()


def _survive(act: Callable[[], None]) -> bool:
    """Whether it succeeded."""
    close_old_connections()
    try:
        act()
        return True
    except Error as error:
        logger.error("The database failed while delivering: %s", type(error).__name__)
        close_old_connections()
    except Exception:
        # The next sweep must come.
        logger.exception("A delivery pass failed")
    return False
