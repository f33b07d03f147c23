"""Delivering what is due: claim, call, record; never a call inside a transaction.

Nothing is remembered between two deliveries but in the database, so any number of
processes may deliver at once and any of them may die at any moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from affiliates.integrations.delivery.sending.batch import Clock, Shift
from affiliates.integrations.delivery.sending.exchange import CallSender
from affiliates.integrations.delivery.sending.lease import claim, due_integrations
from affiliates.integrations.delivery.sending.switched_off import close_switched_off
from affiliates.integrations.rules import DeliveryState


@dataclass(frozen=True, slots=True, kw_only=True)
class PassReport:
    """How many times a pass brought a delivery into which state."""

    delivered: int = 0
    retried: int = 0
    ambiguous: int = 0
    failed: int = 0
    given_up: int = 0
    postponed: int = 0

    @classmethod
    def of(cls, states: Counter[DeliveryState]) -> PassReport:
        return cls(
            delivered=states[DeliveryState.DONE] + states[DeliveryState.DUPLICATE],
            retried=states[DeliveryState.RETRY],
            ambiguous=states[DeliveryState.AMBIGUOUS],
            failed=states[DeliveryState.FAILED],
            given_up=states[DeliveryState.DEAD],
            postponed=states[DeliveryState.QUEUED],
        )

    def __str__(self) -> str:
        return (
            f"{self.delivered} delivered, {self.retried} to be sent again, "
            f"{self.ambiguous} unclear, {self.failed} refused, "
            f"{self.given_up} given up, {self.postponed} postponed"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What became of one integration's deliveries; ``free_at``: more may be due then."""

    states: Counter[DeliveryState]
    free_at: datetime | None


def deliver_due(
    *,
    transport: CallSender,
    now: Clock,
    should_stop: Callable[[], bool] = lambda: False,
) -> PassReport:
    """Deliver, one after the other, what is due and what the rates allow.

    Ends after the delivery under way once ``should_stop`` says so.
    """
    states = Counter({DeliveryState.DEAD: close_switched_off(now=now())})
    for integration_id in due_integrations(now()):
        states += serve(
            integration_id, transport=transport, now=now, should_stop=should_stop
        ).states
    return PassReport.of(states)


def serve(
    integration_id: int,
    *,
    transport: CallSender,
    now: Clock,
    should_stop: Callable[[], bool] = lambda: False,
) -> Served:
    """Deliver what is due of one integration until a claim finds nothing more.

    Ends after the delivery under way once ``should_stop`` says so.
    """
    states: Counter[DeliveryState] = Counter()
    while not should_stop():
        taken = claim(integration_id, now=now())
        if taken.work is None:
            return Served(states=states, free_at=taken.free_at)
        shift = Shift(taken.work, transport=transport, now=now)
        states += shift.deliver(should_stop)
    return Served(states=states, free_at=None)
