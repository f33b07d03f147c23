from __future__ import annotations

from datetime import timedelta

from affiliates.outbox.http.client import Transport
from affiliates.payouts.sending.services import send_due
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop


@register(
    "payouts",
    every=timedelta(seconds=5),
    does="Sends approved payouts to providers that are called, and books the results.",
    needs="Outgoing HTTPS.",
)
def send_payouts(now: Clock, should_stop: ShouldStop) -> str:
    with Transport() as transport:
        states = send_due(transport=transport, now=now, should_stop=should_stop)
    return ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
