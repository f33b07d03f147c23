"""Compares our decision and deliveries for each order with the provider's record.

Only reads, here and at the provider.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from decimal import Decimal

from django.db.models import QuerySet

from affiliates.contrib.reconciliation.rules import (
    compare,
    is_declined,
    not_asked,
    not_paid,
)
from affiliates.contrib.reconciliation.types import (
    ComparedDelivery,
    ComparedOrder,
    Payment,
    ReconciliationLine,
)
from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import is_answer
from affiliates.outbox.sending.exchange import CallSender
from affiliates.outbox.types import CallOutcome, Operation
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import InvoicePayment
from affiliates.sales.positions import first_sales
from affiliates.sales.refunded import InvoiceAmounts, net_taken
from affiliates.sales.selectors import refunded_of_payments
from affiliates.tracking.inquiry import look_up, why_no_look_up

CHUNK = 100
# The number of failures in a row after which the provider is asked no more.
PATIENCE = 3
TOO_SLOW = (
    "It was not asked any more, because it answers too slowly for all of these orders: "
    "choose fewer days, or use the command reconcile_sales."
)

Pause = Callable[[float], None]


def orders_between(
    integration: TrackingIntegration, *, first: datetime, last: datetime
) -> QuerySet[OrderReferral]:
    """The brand's orders converted from ``first`` until just before ``last``."""
    return OrderReferral.objects.filter(
        brand_id=integration.brand_id, converted_at__gte=first, converted_at__lt=last
    ).order_by("pk")


def reconcile(
    integration: TrackingIntegration,
    ids: Sequence[int],
    *,
    now: datetime,
    sender: CallSender | None = None,
    patience: int = PATIENCE,
    seconds: float = math.inf,
    pause: Pause = time.sleep,
) -> Iterator[ReconciliationLine]:
    """Compares these orders, by the ids of their OrderReferral and in their order.

    The provider is asked for every paid one, at the integration's rate of requests;
    after ``patience`` failures in a row, or when ``seconds`` are over, for no more.
    """
    carrier: AbstractContextManager[CallSender]
    carrier = Transport() if sender is None else nullcontext(sender)
    with carrier as opened:
        paced = _PacedSender(opened, integration.requests_per_second, pause)
        inquiry = _Inquiry(
            integration,
            sender=paced,
            patience=patience,
            ends_at=time.monotonic() + seconds,
            now=now,
        )
        for start in range(0, len(ids), CHUNK):
            for order in _read(integration, ids[start : start + CHUNK]):
                yield inquiry.compare(order)


class _PacedSender:
    def __init__(self, sender: CallSender, per_second: int, pause: Pause) -> None:
        self._sender = sender
        self._interval = 1 / per_second
        self._pause = pause
        self._next_at = 0.0

    def send(self, call: Call) -> Response:
        wait = self._next_at - time.monotonic()
        if wait > 0:
            self._pause(wait)
        self._next_at = time.monotonic() + self._interval
        return self._sender.send(call)


class _Inquiry:
    """Asks for one order after the other; stops when the provider does not answer."""

    def __init__(
        self,
        integration: TrackingIntegration,
        *,
        sender: CallSender,
        patience: int,
        ends_at: float,
        now: datetime,
    ) -> None:
        self._integration = integration
        self._sender = sender
        self._patience = patience
        self._ends_at = ends_at
        self._now = now
        self._failures = 0
        self._names: dict[str, str] = {}
        self._obstacle = why_no_look_up(integration)

    def compare(self, order: ComparedOrder) -> ReconciliationLine:
        if order.payment is None:
            return not_paid(order)
        if not self._obstacle and time.monotonic() >= self._ends_at:
            self._obstacle = TOO_SLOW
        if self._obstacle:
            return not_asked(order, self._obstacle)
        answer = look_up(
            self._integration,
            order.invoice_ref,
            sender=self._sender,
            remote_ref=order.sale.remote_ref if order.sale else "",
        )
        self._note_failure(answer)
        line = compare(order, answer, names=self._names, now=self._now)
        self._learn_name(order, answer)
        return line

    def _note_failure(self, answer: CallOutcome) -> None:
        self._failures = 0 if is_answer(answer.kind) else self._failures + 1
        if self._failures >= self._patience:
            times = "" if self._patience == 1 else f" {self._patience} times in a row"
            self._obstacle = (
                f"It was not asked any more after it had failed to answer{times}. "
                f"{answer.detail}"
            ).rstrip()

    def _learn_name(self, order: ComparedOrder, answer: CallOutcome) -> None:
        counted = [sale for sale in answer.sales if not is_declined(sale)]
        if not order.is_for_integration or len(counted) != 1:
            return
        if order.external_affiliate and counted[0].affiliate:
            self._names.setdefault(order.external_affiliate, counted[0].affiliate)


def _read(
    integration: TrackingIntegration, ids: Sequence[int]
) -> Iterator[ComparedOrder]:
    """The facts of these orders, in five queries: of each the invoice that is told."""
    orders = (
        OrderReferral.objects.filter(brand_id=integration.brand_id)
        .select_related("affiliate")
        .defer("decision", "referral_cookie")
        .in_bulk(ids)
    )
    first = first_sales(integration.brand_id, orders.values())
    payments = _payments(integration.brand_id, first.values())
    invoices = {
        pk: first[pk].invoice_ref if pk in first else referral.invoice_ref
        for pk, referral in orders.items()
    }
    deliveries = _deliveries(integration, invoices.values())
    for referral in (orders[pk] for pk in ids if pk in orders):
        ref = invoices[referral.pk]
        sales = [row for row in deliveries[ref] if row.operation == Operation.SALE]
        yield ComparedOrder(
            referral_id=referral.pk,
            order_ref=referral.order_ref,
            invoice_ref=ref,
            outcome=Outcome(referral.outcome),
            own_affiliate=referral.affiliate.code if referral.affiliate else "",
            external_affiliate=referral.external_affiliate,
            is_for_integration=referral.integration_id == integration.pk,
            payment=payments.get(ref),
            sale=_compared(sales[0]) if sales else None,
            reversals=tuple(
                _compared(row) for row in deliveries[ref] if row not in sales
            ),
        )


def _payments(brand_id: int, rows: Collection[InvoicePayment]) -> Mapping[str, Payment]:
    refunded = refunded_of_payments(brand_id, rows)
    payments = {}
    for row in rows:
        net, invoice = row.net, InvoiceAmounts.of(row.gross, row.lines)
        payments[row.invoice_ref] = Payment(
            net=net,
            taken_back=net_taken(net, invoice=invoice, refunded=refunded[row.pk]),
        )
    return payments


def _deliveries(
    integration: TrackingIntegration, invoices: Collection[str]
) -> Mapping[str, list[Delivery]]:
    rows: defaultdict[str, list[Delivery]] = defaultdict(list)
    for row in Delivery.objects.filter(
        integration=integration,
        order_ref__in=invoices,
        operation__in=[Operation.SALE, Operation.REVERSAL],
    ).order_by("id"):
        rows[row.order_ref].append(row)
    return rows


def _compared(row: Delivery) -> ComparedDelivery:
    amount = row.payload["amount"]
    return ComparedDelivery(
        delivery_id=row.pk,
        state=QueueState(row.state),
        amount=None if amount is None else Decimal(amount),
        currency=row.payload["currency"],
        detail=row.detail,
        remote_ref=row.remote_ref,
        is_due=row.next_at is not None,
        finished_at=row.finished_at,
    )
