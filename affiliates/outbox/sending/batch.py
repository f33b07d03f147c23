"""Sends the due deliveries of an integration, several at a time."""

from __future__ import annotations

import logging
import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import sleep

from django.db import Error, InterfaceError, OperationalError, close_old_connections

from affiliates.outbox import rules
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.pacing import next_width
from affiliates.outbox.protocol import Run
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.queue.services import release
from affiliates.outbox.rules import DeliveryStep, is_answer
from affiliates.outbox.selectors import is_partial, read_facts
from affiliates.outbox.sending.begin import Attempt, start_all
from affiliates.outbox.sending.calls import Calls
from affiliates.outbox.sending.exchange import CallSender, Exchange, converse
from affiliates.outbox.sending.finish import (
    Answered,
    Finished,
    finish,
    finish_unsent,
)
from affiliates.outbox.sending.lease import LeasedWork, end_trial, take
from affiliates.outbox.sending.plan import Unsent, plan, unreadable
from affiliates.outbox.sending.provider import Provider, open_provider
from affiliates.outbox.types import CallOutcome, Operation
from affiliates.telemetry.request_ids import within_request
from affiliates.telemetry.spans import traced

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]
# While calls are under way, the outbox is looked at so often.
LOOK_SECONDS = 1.0
# After a failure of the database.
RECORD_AGAIN_SECONDS = 1.0


class Shift:
    """Leases, sends and records an integration's deliveries until none is due.

    Only the thread of ``deliver`` uses the database: it begins several deliveries in one
    transaction and records in one what was answered meanwhile. The number under way
    begins at one, grows with the provider's answers and shrinks with its failures.
    """

    def __init__(
        self,
        integration_id: int,
        *,
        transport: CallSender,
        calls: Calls[Answered],
        now: Clock,
    ) -> None:
        self._integration_id = integration_id
        self._transport = transport
        self._calls = calls
        self._now = now
        self._states: Counter[QueueState] = Counter()
        self._provider: Provider | str = ""
        self._waiting: deque[Delivery] = deque()
        self._width = 1
        self._is_paused = False
        self._trial_until: datetime | None = None

    def deliver(
        self, should_stop: Callable[[], bool]
    ) -> tuple[Counter[QueueState], datetime | None]:
        """Returns how many deliveries reached each state and, if the rate is used up,
        when more may be due. ``deliver`` may be called once.

        When the provider is paused or ``should_stop`` is true, the calls under way end,
        and what was not begun is released for other senders.
        """
        while True:
            taken: LeasedWork | datetime | None = None
            if self._is_paused or should_stop():
                release(self._waiting, now=self._now())
                self._waiting.clear()
            elif not self._waiting and self._room():
                taken = self._take()
            self._begin()
            if self._calls.count:
                self._collect(until=taken if isinstance(taken, datetime) else None)
            elif not self._waiting:
                self._end_trial()
                if not isinstance(taken, LeasedWork):
                    return self._states, taken

    def _take(self) -> LeasedWork | datetime | None:
        taken = take(self._integration_id, now=self._now())
        if isinstance(taken, LeasedWork):
            self._provider = open_provider(taken.integration)
            for delivery in taken.deliveries:
                delivery.integration = taken.integration
            self._waiting.extend(taken.deliveries)
            self._trial_until = taken.until if taken.is_trial else None
        return taken

    def _room(self) -> int:
        return max(min(self._width, self._calls.most) - self._calls.count, 0)

    def _begin(self) -> None:
        room = self._room()
        chosen: list[tuple[Delivery, Operation]] = []
        while self._waiting and len(chosen) < room:
            delivery, now = self._waiting.popleft(), self._now()
            with within_request(delivery.request_id):
                step = self._plan(delivery, now=now)
            if isinstance(step, Unsent):
                if finish_unsent(delivery, step, now=now):
                    self._states[step.state] += 1
            elif step is DeliveryStep.LOOK_UP:
                chosen.append((delivery, Operation.LOOKUP))
            else:
                chosen.append((delivery, Operation(delivery.operation)))
        # Only a plan for a usable provider includes a call.
        if chosen and isinstance(self._provider, Provider):
            self._send(chosen, self._provider)

    def _plan(self, delivery: Delivery, *, now: datetime) -> DeliveryStep | Unsent:
        try:
            return plan(delivery, delivery.integration, self._provider, now=now)
        except Error:
            raise
        except Exception as error:  # noqa: BLE001 - one row must not hold up the others
            logger.error(
                "%s while planning delivery %s", type(error).__name__, delivery.pk
            )
            return unreadable(delivery, now=now)

    def _send(
        self, chosen: Sequence[tuple[Delivery, Operation]], provider: Provider
    ) -> None:
        """Begins attempts, without those that another sender has taken over."""
        carries_click = provider.adapter.carries_click
        for attempt in start_all(chosen, carries_click=carries_click, now=self._now()):
            self._calls.begin(partial(self._attempt, attempt, provider))

    def _attempt(self, attempt: Attempt, provider: Provider) -> Answered:
        with within_request(attempt.delivery.request_id):
            exchange = self._converse(attempt, provider)
        now = self._now()
        return Answered(
            attempt=attempt,
            provider=provider,
            exchange=exchange,
            result=_result(attempt, exchange.outcome, provider, now=now),
            at=now,
        )

    @traced("affiliates.delivery")
    def _converse(self, attempt: Attempt, provider: Provider) -> Exchange:
        def run() -> Run:
            facts = read_facts(
                attempt.delivery,
                attempt.operation,
                carried=attempt.carried,
                remote_ref=attempt.remote_ref,
                sent_at=attempt.started_at,
            )
            return provider.adapter.run(facts, attempt.visitor_id, provider.settings)

        return converse(
            run,
            attempt.operation,
            sender=self._transport,
            is_partial=is_partial(attempt.delivery),
            is_late=lambda: self._now() >= attempt.until,
        )

    def _collect(self, *, until: datetime | None) -> None:
        """Records the attempts that ended. Waits for the first, at most until then."""
        seconds = LOOK_SECONDS
        if until is not None:
            seconds = min(max((until - self._now()).total_seconds(), 0), seconds)
        answered = self._calls.collect(seconds=seconds)
        if not answered:
            return
        if any(answer.exchange.call_count for answer in answered):
            self._trial_until = None
        finished = self._finish(answered)
        self._is_paused = self._is_paused or finished.is_paused
        self._width = next_width(
            min(self._width, self._calls.most),
            is_answering=all(
                is_answer(answer.exchange.outcome.kind) for answer in answered
            ),
        )
        for record in finished.recorded:
            self._states[record.result.state] += 1
            _log(record)
            if record.is_to_be_sent and not self._is_paused:
                delivery = record.attempt.delivery
                chosen = [(delivery, Operation(delivery.operation))]
                self._send(chosen, record.provider)

    def _finish(self, answered: Sequence[Answered]) -> Finished:
        """Records the attempts. While the database fails, tries again until a lease ends:
        what is not recorded becomes unclear."""
        until = min(answer.attempt.until for answer in answered)
        while True:
            try:
                return finish(answered, now=self._now())
            except (OperationalError, InterfaceError):
                if self._now() + timedelta(seconds=RECORD_AGAIN_SECONDS) >= until:
                    raise
            sleep(RECORD_AGAIN_SECONDS)
            close_old_connections()

    def _end_trial(self) -> None:
        """Ends a trial in which nothing was called: the next delivery is the trial."""
        if self._trial_until is not None:
            end_trial(self._integration_id, until=self._trial_until, now=self._now())
            self._trial_until = None


def _log(answered: Answered) -> None:
    delivery = answered.attempt.delivery
    with within_request(delivery.request_id):
        logger.info(
            "Delivery attempted",
            extra={
                "delivery": delivery.pk,
                "integration": delivery.integration_id,
                "operation": str(answered.attempt.operation),
                "outcome": str(answered.exchange.outcome.kind),
                "status_code": answered.exchange.status_code,
                "state": str(answered.result.state),
            },
        )


def _result(
    attempt: Attempt, outcome: CallOutcome, provider: Provider, *, now: datetime
) -> TryResult:
    attempts = attempt.delivery.attempt_count
    jitter = random.uniform(-1, 1)  # noqa: S311 - spreads load, keeps no secret
    if attempt.operation is Operation.LOOKUP:
        counts_within = provider.adapter.counts_within(provider.settings)
        return rules.resolve_lookup(
            outcome,
            attempts=attempts,
            counted_at=attempt.sent_at + counts_within,
            now=now,
            jitter=jitter,
        )
    return rules.resolve(
        outcome,
        attempts=attempts,
        policy=rules.policy_for(attempt.operation, provider.policy),
        can_look_up=provider.can_look_up,
        now=now,
        jitter=jitter,
    )
