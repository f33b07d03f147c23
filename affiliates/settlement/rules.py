"""Decides which deliveries a tracking integration gets for an order's first sale. Pure.

The first sale is the first invoice with an amount: a zero invoice, such as that of a
trial, is no sale.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from moneyed import Money

from affiliates.outbox.types import (
    NewDelivery,
    RestorationFacts,
    ReversalFacts,
    ReversalKind,
)
from affiliates.sales.refunded import Refunded, net_taken
from affiliates.settlement.types import RefundFacts, TrackedSale


def decide_deliveries(
    tracked: TrackedSale, *, now: datetime
) -> tuple[NewDelivery, ...]:
    """The sale once, and from then on each refund and cancellation.

    Refunds that were known before the sale are sent with it, each with the amount that
    its cancellations leave.
    """
    if tracked.withdrawal_ref:
        return tuple(_withdrawal(tracked, now=now))
    if tracked.is_queued:
        return tuple(_new_changes(tracked))
    return NewDelivery(tracked.sale, tracked.initial_ref), *_outstanding(tracked)


def _withdrawal(tracked: TrackedSale, *, now: datetime) -> Iterator[NewDelivery]:
    """Amounts that refunds reversed at the provider are not reversed twice."""
    left = tracked.net - _net(tracked, tracked.refunded)
    if left.amount > 0:
        reversal = ReversalFacts(
            order_ref=tracked.sale.order_ref,
            kind=ReversalKind.REFUND,
            amount=left.amount if tracked.has_reversals else None,
            currency=left.currency.code,
            occurred_at=now,
        )
        yield NewDelivery(reversal, tracked.withdrawal_ref)


def _new_changes(tracked: TrackedSale) -> Iterator[NewDelivery]:
    """A cancellation that was known before its refund is sent within that."""
    for change in tracked.changes:
        if change.is_new:
            part = change.refunded
            if change.cancellation_ref is None:
                part = tracked.left_of(change)
            yield from _change(tracked, change, part, before=tracked.refunded - part)


def _outstanding(tracked: TrackedSale) -> Iterator[NewDelivery]:
    before = tracked.counted
    for change in tracked.changes:
        if change.cancellation_ref is None:
            part = tracked.left_of(change)
            yield from _change(tracked, change, part, before=before)
            before += part


def _change(
    tracked: TrackedSale, change: RefundFacts, part: Refunded, *, before: Refunded
) -> Iterator[NewDelivery]:
    """A cancellation waits for staff: no provider accepts one."""
    taken = _net(tracked, before + part) - _net(tracked, before)
    if not taken.amount:
        return
    order_ref, currency = tracked.sale.order_ref, taken.currency.code
    if change.cancellation_ref is not None:
        restoration = RestorationFacts(
            order_ref=order_ref,
            amount=-taken.amount,
            currency=currency,
            occurred_at=change.occurred_at,
        )
        yield NewDelivery(restoration, change.cancellation_ref)
        return
    reversal = ReversalFacts(
        order_ref=order_ref,
        kind=ReversalKind(change.kind),
        amount=None if taken == tracked.net else taken.amount,
        currency=currency,
        occurred_at=change.occurred_at,
    )
    yield NewDelivery(reversal, change.refund_ref)


def _net(tracked: TrackedSale, refunded: Refunded) -> Money:
    return net_taken(tracked.net, invoice=tracked.invoice, refunded=refunded)
