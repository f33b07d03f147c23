"""Decides what to do with a due delivery before any call is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from affiliates.outbox.models.delivery import Delivery, VisitorAlias
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import Identifier
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import (
    CONFIG_BACKOFF,
    SALE_WAIT,
    DeliveryStep,
    is_given_up,
    is_uncertain,
    next_step,
)
from affiliates.outbox.selectors import is_partial, open_click_of, sale_of
from affiliates.outbox.sending.provider import Provider
from affiliates.outbox.types import Operation, OutcomeKind

UNREADABLE = "This release cannot read the delivery: update the process that delivers."
UNCERTAIN = "Whether it arrived is not known."
WAITS_FOR_SALE = "Waits until its sale has arrived."
SALE_NOT_DELIVERED = (
    "Its sale was not delivered, so there is nothing to take back. If the sale is "
    "delivered later, send this again."
)
SALE_UNKNOWN = "No sale of this invoice was ever to be delivered."
NO_REVERSALS = (
    "The integration cannot take this sale back: do it by hand in the provider's panel, "
    "or complete the integration's settings and send this again."
)
NO_SUCH_OPERATION = (
    "The integration cannot do this: enter it by hand in the provider's panel, or "
    "complete the integration's settings and send this again."
)
NO_IDENTIFIER = (
    "The provider never gave this visitor an identifier, because the click did not "
    "arrive: enter this by hand in the provider's panel."
)
RESTORE_BY_HAND = (
    "A refund of this sale was cancelled: put the sale right by hand in the provider's "
    "panel, then say here that it arrived."
)
ERASE_BY_HAND = (
    "A client was erased here: have the provider erase what it holds of this customer, "
    "then say here that it arrived."
)
HELD = "Look in the provider's panel whether it arrived, then say so here or send it again."


@dataclass(frozen=True, slots=True)
class Unsent:
    """A result without a call. ``outcome`` None keeps the previous outcome."""

    state: QueueState
    detail: str
    outcome: OutcomeKind | None = None
    next_at: datetime | None = None


def plan(
    delivery: Delivery,
    integration: TrackingIntegration,
    provider: Provider | str,
    *,
    now: datetime,
) -> DeliveryStep | Unsent:
    """Returns whether to send, look up first, or record a result without a call."""
    if delivery.operation == Operation.RESTORATION:
        return Unsent(QueueState.UNCLEAR, RESTORE_BY_HAND, OutcomeKind.AMBIGUOUS)
    if _is_too_late(delivery, integration, now=now):
        return _given_up(delivery, now=now)
    if isinstance(provider, str):
        return _misconfigured(delivery, fault=provider, now=now)
    if unsent := _refusal(delivery, provider, now=now):
        return _with_doubt(delivery, unsent)
    step = next_step(
        QueueState(delivery.state),
        Operation(delivery.operation),
        is_partial=is_partial(delivery),
        policy=provider.policy,
        can_look_up=provider.can_look_up,
    )
    if step is not DeliveryStep.HOLD:
        return step
    return Unsent(QueueState.UNCLEAR, HELD, OutcomeKind.AMBIGUOUS)


def unreadable(delivery: Delivery, *, now: datetime) -> Unsent:
    """Leaves a row of another release to a process that can read it."""
    was_sending = delivery.state == QueueState.SENDING
    is_unclear = was_sending or delivery.state == QueueState.UNCLEAR
    state = QueueState.UNCLEAR if is_unclear else QueueState.RETRY
    return Unsent(state, UNREADABLE, OutcomeKind.CONFIG, now + CONFIG_BACKOFF)


def _with_doubt(delivery: Delivery, unsent: Unsent) -> Unsent:
    """Notes that a refused delivery may have arrived: nobody must enter it again."""
    if unsent.state.is_open or not is_in_doubt(delivery):
        return unsent
    detail = f"{UNCERTAIN} {unsent.detail}"
    return replace(unsent, detail=detail, outcome=OutcomeKind.AMBIGUOUS)


def _is_too_late(
    delivery: Delivery, integration: TrackingIntegration, *, now: datetime
) -> bool:
    def is_over(operation: Operation) -> bool:
        return is_given_up(
            operation,
            created_at=delivery.created_at,
            now=now,
            click_max_age=timedelta(days=integration.click_max_age_days),
            sale_max_age=timedelta(days=integration.sale_max_age_days),
        )

    operation = Operation(delivery.operation)
    if not is_over(operation):
        return False
    # A sale cannot be attributed without its click, even an old one.
    is_needed = operation is Operation.CLICK and _has_open_conversion(delivery)
    return is_over(Operation.SALE) if is_needed else True


def _has_open_conversion(click: Delivery) -> bool:
    conversions = Delivery.objects.filter(
        integration=click.integration_id,
        visitor_ref=click.visitor_ref,
        operation__in=[Operation.SALE, Operation.LEAD],
        next_at__isnull=False,
    )
    return bool(click.visitor_ref) and conversions.exists()


def _given_up(delivery: Delivery, *, now: datetime) -> Unsent:
    days = (now - delivery.created_at).days
    reason = f"Given up after {days} days. {delivery.detail}".rstrip()
    in_doubt = is_in_doubt(delivery)
    return Unsent(
        QueueState.GIVEN_UP,
        f"{reason} {UNCERTAIN}" if in_doubt else reason,
        OutcomeKind.AMBIGUOUS if in_doubt else None,
    )


def is_in_doubt(delivery: Delivery) -> bool:
    return is_uncertain(
        QueueState(delivery.state),
        Operation(delivery.operation),
        is_partial=is_partial(delivery),
    )


def _misconfigured(delivery: Delivery, *, fault: str, now: datetime) -> Unsent:
    state = QueueState.UNCLEAR if is_in_doubt(delivery) else QueueState.RETRY
    return Unsent(state, fault, OutcomeKind.CONFIG, now + CONFIG_BACKOFF)


def _refusal(delivery: Delivery, provider: Provider, *, now: datetime) -> Unsent | None:
    operation = Operation(delivery.operation)
    adapter, settings = provider.adapter, provider.settings
    if not adapter.supports(operation, settings):
        if operation is Operation.ERASURE:
            return Unsent(QueueState.UNCLEAR, ERASE_BY_HAND, OutcomeKind.AMBIGUOUS)
        is_reversal = operation is Operation.REVERSAL
        return _failed(NO_REVERSALS if is_reversal else NO_SUCH_OPERATION)
    if operation is Operation.REVERSAL:
        return _wait_for_sale(delivery, now=now)
    needs_identifier = operation not in {Operation.CLICK, Operation.ERASURE}
    if not needs_identifier or adapter.identifier is not Identifier.REMOTE:
        return None
    return _wait_for_identifier(delivery, now=now)


def _wait_for_sale(delivery: Delivery, *, now: datetime) -> Unsent | None:
    sale = sale_of(delivery)
    if sale is None:
        return _failed(SALE_UNKNOWN)
    state = QueueState(sale.state)
    if state is QueueState.SENT:
        return None
    if not state.is_open:
        return _failed(SALE_NOT_DELIVERED)
    return _postponed(WAITS_FOR_SALE, now=now)


def _wait_for_identifier(delivery: Delivery, *, now: datetime) -> Unsent | None:
    is_known = VisitorAlias.objects.filter(
        integration=delivery.integration_id, visitor_ref=delivery.visitor_ref
    ).exists()
    if is_known:
        return None
    if open_click_of(delivery) is not None:
        return _postponed("Waits until its visitor's click has arrived.", now=now)
    return _failed(NO_IDENTIFIER)


def _failed(detail: str) -> Unsent:
    return Unsent(QueueState.FAILED, detail, OutcomeKind.REJECTED)


def _postponed(detail: str, *, now: datetime) -> Unsent:
    return Unsent(QueueState.WAITING, detail, next_at=now + SALE_WAIT)
