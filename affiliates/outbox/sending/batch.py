"""Sends the deliveries of one lease, until the last one or a pause."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from django.db import Error

from affiliates.outbox import rules
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.protocol import Run
from affiliates.outbox.rules import DeliveryStep
from affiliates.outbox.selectors import is_partial, read_facts
from affiliates.outbox.sending.exchange import CallSender, Exchange, converse
from affiliates.outbox.sending.finish import Attempt, finish, finish_unsent, start
from affiliates.outbox.sending.lease import Work, end_trial
from affiliates.outbox.sending.plan import Unsent, plan, unreadable
from affiliates.outbox.sending.provider import Provider, open_provider
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind
from affiliates.queue.rules import QueueState, TryResult
from affiliates.queue.services import release
from affiliates.telemetry.request_ids import within_request

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]


class Shift:
    """Works through the leased deliveries. ``deliver`` may be called once."""

    def __init__(self, work: Work, *, transport: CallSender, now: Clock) -> None:
        self._work = work
        self._provider = open_provider(work.integration)
        self._transport = transport
        self._now = now
        self._states: Counter[QueueState] = Counter()
        self._has_called = False
        self._is_paused = False

    def deliver(self, should_stop: Callable[[], bool]) -> Counter[QueueState]:
        """Returns how many deliveries reached each state.

        The rest is released for other senders when the provider is paused or
        ``should_stop`` is true.
        """
        waiting = list(reversed(self._work.deliveries))
        while waiting and not self._is_paused and not should_stop():
            delivery = waiting.pop()
            with within_request(delivery.request_id):
                self._deliver(delivery)
        if waiting:
            release(waiting, now=self._now())
        if self._work.is_trial and not self._has_called:
            until = self._work.until
            end_trial(self._work.integration.pk, until=until, now=self._now())
        return self._states

    def _deliver(self, delivery: Delivery) -> None:
        now = self._now()
        step = self._plan(delivery, now=now)
        if isinstance(step, Unsent):
            if finish_unsent(delivery, step, now=now):
                self._states[step.state] += 1
            return
        # Only a plan for a usable provider includes a call.
        assert isinstance(self._provider, Provider)  # noqa: S101
        if step is DeliveryStep.LOOK_UP:
            found = self._attempt(delivery, Operation.LOOKUP, self._provider)
            if found is None or found.kind is not OutcomeKind.NOT_FOUND:
                return
            if delivery.next_at is None or self._is_paused:
                return
        self._attempt(delivery, Operation(delivery.operation), self._provider)

    def _plan(self, delivery: Delivery, *, now: datetime) -> DeliveryStep | Unsent:
        try:
            return plan(delivery, self._work.integration, self._provider, now=now)
        except Error:
            raise
        except Exception as error:  # noqa: BLE001 - one row must not hold up the others
            logger.error(
                "%s while planning delivery %s", type(error).__name__, delivery.pk
            )
            return unreadable(delivery, now=now)

    def _attempt(
        self,
        delivery: Delivery,
        operation: Operation,
        provider: Provider,
    ) -> CallOutcome | None:
        """Makes one attempt. None if another sender has taken the delivery over."""
        attempt = start(
            delivery,
            operation,
            carries_click=provider.adapter.carries_click,
            now=self._now(),
        )
        if attempt is None:
            return None
        exchange = self._exchange(attempt, provider)
        self._has_called = self._has_called or exchange.call_count > 0
        now = self._now()
        result = _result(attempt, exchange.outcome, provider, now=now)
        integration = self._work.integration
        is_paused = finish(attempt, exchange, result, integration=integration, now=now)
        if is_paused is None:
            return None
        self._states[result.state] += 1
        self._is_paused = self._is_paused or is_paused
        logger.info(
            "Delivery attempted",
            extra={
                "delivery": delivery.pk,
                "integration": integration.pk,
                "operation": str(operation),
                "outcome": str(exchange.outcome.kind),
                "status_code": exchange.status_code,
                "state": str(result.state),
            },
        )
        return exchange.outcome

    def _exchange(self, attempt: Attempt, provider: Provider) -> Exchange:
        def run() -> Run:
            facts = read_facts(
                attempt.delivery,
                attempt.operation,
                carried=attempt.carried,
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


def _result(
    attempt: Attempt, outcome: CallOutcome, provider: Provider, *, now: datetime
) -> TryResult:
    attempts = attempt.delivery.attempt_count
    jitter = random.uniform(-1, 1)  # noqa: S311 - spreads load, keeps no secret
    if attempt.operation is Operation.LOOKUP:
        return rules.resolve_lookup(outcome, attempts=attempts, now=now, jitter=jitter)
    return rules.resolve(
        outcome,
        attempts=attempts,
        policy=rules.policy_for(attempt.operation, provider.policy),
        can_look_up=provider.can_look_up,
        now=now,
        jitter=jitter,
    )
