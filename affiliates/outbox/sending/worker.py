"""Delivers until stopped: a few threads, each with one integration at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from functools import partial
from time import monotonic, sleep

from django.db import Error, close_old_connections, connections
from django.utils import timezone

from affiliates.outbox.http.client import Transport
from affiliates.outbox.pacing import MAX_UNDER_WAY
from affiliates.outbox.sending.deliver import deliver_due, describe, serve
from affiliates.outbox.sending.exchange import CallSender
from affiliates.outbox.sending.lease import due_integrations
from affiliates.outbox.sending.switched_off import close_switched_off
from affiliates.telemetry.stacks import stack_of
from affiliates.worker.registry import register
from affiliates.worker.types import Beat, Clock, ShouldStop

logger = logging.getLogger(__name__)

DEFAULT_THREADS = 4
SWEEP_SECONDS = 1.0
# After this time an integration goes to the end of the queue for a thread.
TURN_SECONDS = 15.0


class Worker:
    """Sweeps every second and serves each integration in a thread of its own.

    A slow provider therefore delays no other. If there are more providers than threads,
    they take turns. A thread has several requests to its provider under way, but only one
    to an affiliate's webhook. Affiliates' webhooks have the same number of separate
    threads, so unanswering ones never delay a brand's deliveries. ``stop`` may be called
    from a signal handler.
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
        # No Event: a signal handler cannot set one that is being waited for.
        self._is_stopped = False
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="deliver")
        self._pool_of_affiliates = ThreadPoolExecutor(
            threads, thread_name_prefix="deliver_to_affiliate"
        )
        self._busy: dict[int, Future[None]] = {}

    def stop(self) -> None:
        """Ends soon: finishes the current calls and releases the other deliveries."""
        self._is_stopped = True

    def run(self, after_sweep: Callable[[bool], None] = lambda succeeded: None) -> None:
        """Delivers until stopped. Tries a lost database again at every sweep."""
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
                pool, under_way = self._pool, MAX_UNDER_WAY
                if affiliate_id is not None:
                    pool, under_way = self._pool_of_affiliates, 1
                self._busy[integration_id] = pool.submit(
                    _in_thread, partial(self._serve, integration_id, under_way)
                )

    def _serve(self, integration_id: int, under_way: int) -> None:
        until = monotonic() + self._turn_seconds

        def is_over() -> bool:
            return self._is_stopped or monotonic() >= until

        while not is_over():
            _, free_at = serve(
                integration_id,
                transport=self._transport,
                now=self._now,
                should_stop=is_over,
                under_way=under_way,
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
    """Returns whether ``act`` succeeded."""
    close_old_connections()
    try:
        act()
        return True
    except Error as error:
        logger.error("The database failed while delivering: %s", type(error).__name__)
        close_old_connections()
    except Exception as fault:  # noqa: BLE001 - the next sweep must take place
        logger.error("A delivery pass failed: %s", stack_of(fault))
    return False


def deliver_always(now: Clock, should_stop: ShouldStop, beat: Beat) -> None:
    with Transport() as transport:
        worker = Worker(transport=transport, now=now)

        def after_sweep(succeeded: bool) -> None:
            beat(succeeded)
            if should_stop():
                worker.stop()

        worker.run(after_sweep)


@register(
    "deliveries",
    every=timedelta(seconds=1),
    does="Sends clicks, leads, sales and reversals to integrations, events to webhooks.",
    needs="Outgoing HTTPS.",
    always=deliver_always,
)
def deliver_once(now: Clock, should_stop: ShouldStop) -> str:
    with Transport() as transport:
        states = deliver_due(
            transport=transport,
            now=now,
            should_stop=should_stop,
            under_way=MAX_UNDER_WAY,
        )
    return f"{describe(states)}." if states.total() else ""
