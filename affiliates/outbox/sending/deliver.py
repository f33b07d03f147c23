"""Sends due deliveries: lease, call, record; never a call inside a transaction.

All state between two deliveries is in the database, so any number of processes may
deliver at once and each of them may die at any moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime

from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.sending.batch import Clock, Shift
from affiliates.outbox.sending.calls import Calls
from affiliates.outbox.sending.exchange import CallSender
from affiliates.outbox.sending.finish import Answered
from affiliates.outbox.sending.lease import due_integrations
from affiliates.outbox.sending.switched_off import close_switched_off

_WORDS = {
    "delivered": (QueueState.SENT,),
    "to be sent again": (QueueState.RETRY,),
    "unclear": (QueueState.UNCLEAR,),
    "refused": (QueueState.FAILED,),
    "given up": (QueueState.GIVEN_UP,),
    "postponed": (QueueState.WAITING,),
}


def deliver_due(
    *,
    transport: CallSender,
    now: Clock,
    should_stop: Callable[[], bool] = lambda: False,
    under_way: int = 1,
) -> Counter[QueueState]:
    """Sends the due deliveries of one integration after the other, as the rates allow.

    Returns how many deliveries reached each state. At most ``under_way`` requests are
    under way at a time. Ends with the current ones once ``should_stop`` is true.
    """
    states = Counter({QueueState.GIVEN_UP: close_switched_off(now=now())})
    for integration_id, _ in due_integrations(now()):
        served, _ = serve(
            integration_id,
            transport=transport,
            now=now,
            should_stop=should_stop,
            under_way=under_way,
        )
        states += served
    return states


def describe(states: Counter[QueueState]) -> str:
    """Describes the result of a pass in a sentence."""
    return ", ".join(
        f"{sum(states[state] for state in counted)} {words}"
        for words, counted in _WORDS.items()
    )


def serve(
    integration_id: int,
    *,
    transport: CallSender,
    now: Clock,
    should_stop: Callable[[], bool] = lambda: False,
    under_way: int = 1,
) -> tuple[Counter[QueueState], datetime | None]:
    """Sends the due deliveries of one integration until none is left.

    Returns the result and, if the rate is used up, when more may be due. At most
    ``under_way`` requests are under way at a time. Ends with the current ones once
    ``should_stop`` is true.
    """
    calls: Calls[Answered] = Calls(under_way)
    with calls:
        shift = Shift(integration_id, transport=transport, calls=calls, now=now)
        return shift.deliver(should_stop)
