"""Sends batches to providers and books what became of them.

Each step commits by itself, and the process may die between any two of them. A try is
recorded before the first call; a batch whose result is unknown is sent again only under
the reference by which the provider knows it, or looked up; each payout is booked in a
transaction of its own, and a known result is booked once.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from affiliates.encrypted.columns import SecretUnreadable
from affiliates.errors import AffiliatesError
from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.queue import services as queue
from affiliates.outbox.queue.rules import QueueState, TryResult
from affiliates.outbox.rules import judge_failure
from affiliates.outbox.sending.exchange import CallSender, drive
from affiliates.outbox.types import Operation, OutcomeKind
from affiliates.payouts import details
from affiliates.payouts.models import MAX_REASON, MAX_REMOTE_REF, Payout, PayoutBatch
from affiliates.payouts.providers.references import payout_reference
from affiliates.payouts.providers.registry import SENDERS
from affiliates.payouts.providers.sender import (
    Batch,
    BatchAnswer,
    BatchRun,
    ItemAnswer,
    ItemState,
)
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending.rules import (
    NOT_TAKEN,
    TOO_LATE,
    Booking,
    Step,
    judge_item,
    mismatch,
    next_step,
    result_of,
)
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from affiliates.payouts.services.confirmations import finish_payout
from affiliates.payouts.services.decisions import reject_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.payouts.services.steps import lock_payouts, move

logger = logging.getLogger(__name__)

# A longer conversation is broken off, and goes on at the next look-up.
LEASE = timedelta(minutes=15)
BLOCKED = timedelta(minutes=10)
DECIDED = "Some of it was decided by hand: it is not sent again by itself."
TOO_SLOW = "It took too long to go on: the batch may be another process's by now."
NOT_INSTALLED = "The app of this provider is not installed here."
INTERNAL_ERROR = "Internal error while talking with the provider: see the log."
PROBLEM = "Not all of it could be booked: see what the provider says of each payout."


def send_due(
    *,
    transport: CallSender,
    now: Callable[[], datetime],
    should_stop: Callable[[], bool] = lambda: False,
) -> Counter[str]:
    """Sends or looks up each due batch. Returns how many reached each state.

    Any number of processes may do this at once and any of them may die at any moment.
    """
    states: Counter[str] = Counter()
    while not should_stop():
        taken = queue.take(_due(now()), limit=1, until=now() + LEASE)
        if not taken:
            break
        states[_serve(taken[0], transport=transport, now=now)] += 1
    return states


def _due(now: datetime) -> QuerySet[PayoutSending]:
    """Nothing is sent from an account that is held; what the provider has is looked up."""
    return (
        PayoutSending.objects.filter(
            Q(account__held_since=None) | ~Q(remote_id=""),
            account__is_active=True,
            next_at__lte=now,
        )
        .select_related("batch", "account")
        .order_by("next_at", "pk")
    )


def _serve(
    sending: PayoutSending, *, transport: CallSender, now: Callable[[], datetime]
) -> str:
    at = now()
    sender = SENDERS.get(sending.account.provider)
    if sender is None:
        return _finish(sending, _blocked(NOT_INSTALLED, at), now=at)
    step = next_step(
        remote_id=sending.remote_id,
        sent_at=sending.sent_at,
        repeatable_for=sender.repeatable_for,
        now=at,
    )
    if step is Step.HOLD:
        return _finish(sending, TryResult(QueueState.UNCLEAR, TOO_LATE), now=at)
    try:
        batch, settings = batch_of(sending), settings_of(sending.account)
    except SecretUnreadable as error:
        return _finish(sending, _blocked(error.detail, at), now=at)
    if not queue.begin(sending, until=at + LEASE, sent_at=sending.sent_at or at):
        return "elsewhere"
    if step is Step.SEND and not _is_whole(sending, batch):
        return _finish(sending, TryResult(QueueState.UNCLEAR, DECIDED), now=at)
    run = sender.look_up if step is Step.LOOK_UP else sender.send
    until = at + LEASE

    def send(call: Call) -> Response:
        # Before each call: the process may have been suspended meanwhile.
        if now() >= until:
            raise CallFailed(FailureKind.NOT_SENT, TOO_SLOW)
        return transport.send(call)

    return _record(sending, _converse(run(batch, settings), send), now=now())


@transaction.atomic
def _is_whole(sending: PayoutSending, batch: Batch) -> bool:
    """Whether each payout is open or answered. Waits for a person who is deciding."""
    known = {payout_reference(payout.pk) for payout in _lock_open(sending.batch)}
    known.update(sending.results)
    return all(transfer.reference in known for transfer in batch.transfers)


def _blocked(detail: str, at: datetime) -> TryResult:
    return TryResult(QueueState.RETRY, detail, at + BLOCKED)


def _converse(run: BatchRun, send: Callable[[Call], Response]) -> BatchAnswer:
    """The provider's answer; lets no exception out, since a batch may have arrived."""
    try:
        return drive(run, send)
    except CallFailed as failure:
        outcome = judge_failure(Operation.SALE, failure)
        return BatchAnswer(kind=outcome.kind, detail=outcome.detail)
    except Exception as error:  # noqa: BLE001 - a faulty sender must not lose a batch
        logger.error("%s while sending payouts", type(error).__name__)
        return BatchAnswer(kind=OutcomeKind.AMBIGUOUS, detail=INTERNAL_ERROR)


def _record(sending: PayoutSending, answer: BatchAnswer, *, now: datetime) -> str:
    """``sending`` is as it was before this try."""
    remote_id = (sending.remote_id or answer.remote_id)[:MAX_REMOTE_REF]
    results = {**sending.results, **_book(sending.batch, answer.items, now=now)}
    result = result_of(
        answer,
        attempts=sending.attempt_count,
        remote_id=remote_id,
        is_decided=answer.kind is OutcomeKind.OK and not _open_of(sending.batch),
        sent_at=sending.sent_at,
        now=now,
    )
    if result.state is QueueState.SENT and any(
        stored["problem"] for stored in results.values()
    ):
        result = TryResult(QueueState.UNCLEAR, PROBLEM)
    values: dict[str, Any] = {"remote_id": remote_id, "results": results}
    if sending.sent_at is None and not remote_id and answer.kind in NOT_TAKEN:
        # Certainly not sent by the only try: a later refusal is final.
        values["sent_at"] = None
    with transaction.atomic():
        is_ours = queue.finish(sending, result, now=now, **values)
        if is_ours and result.state is QueueState.FAILED:
            give_back(sending.batch, reason=result.detail, actor_id=None, now=now)
    return str(result.state)


def _finish(sending: PayoutSending, result: TryResult, *, now: datetime) -> str:
    queue.finish(sending, result, now=now)
    return str(result.state)


def _open_of(batch: PayoutBatch) -> bool:
    return batch.payouts.filter(status=PayoutStatus.EXPORTED).exists()


def _book(
    batch: PayoutBatch, items: Sequence[ItemAnswer], *, now: datetime
) -> dict[str, Any]:
    """Books each answer; returns them as they are stored, with what was not booked."""
    payouts = {
        payout_reference(payout.pk): payout for payout in batch.payouts.order_by("pk")
    }
    results = {}
    for item in items:
        payout = payouts.get(item.reference)
        if payout is not None:
            problem = _book_one(payout, item, now=now)
            results[item.reference] = {**asdict(item), "problem": problem}
    return results


def _book_one(payout: Payout, item: ItemAnswer, *, now: datetime) -> str:
    status = PayoutStatus(payout.status)
    problem = mismatch(item, amount=payout.amount, currency=payout.currency)
    if problem:
        return problem
    if item.state is ItemState.PAID and not (status.is_open or status is status.PAID):
        return f"The provider has paid it, and it is {status.label.lower()} here."
    common: dict[str, Any] = {"payout_id": payout.pk, "actor_id": None, "now": now}
    reason = (item.detail or item.state.label)[:MAX_REASON]
    try:
        match judge_item(item, status):
            case Booking.CONFIRM:
                reference = (item.remote_ref or item.reference)[:MAX_REMOTE_REF]
                finish_payout(
                    **common,
                    reference=reference,
                    is_by_provider=True,
                    received=(item.received, item.received_currency),
                )
            case Booking.REJECT:
                reject_payout(**common, reason=reason, is_by_provider=True)
            case Booking.RETURN:
                return_payout(**common, reason=reason)
    except AffiliatesError as error:
        return error.detail
    return ""


@transaction.atomic
def give_back(batch: PayoutBatch, *, reason: str, actor_id: Any, now: datetime) -> int:
    """Makes payouts of a batch that was certainly not sent approved again.

    Returns their number. They can be sent anew, in another batch.
    """
    payouts = _lock_open(batch)
    for payout in payouts:
        payout.batch = None
        move(
            payout,
            PayoutStatus.APPROVED,
            actor_id=actor_id,
            reason=reason[:MAX_REASON],
            now=now,
        )
    return len(payouts)


def _lock_open(batch: PayoutBatch) -> list[Payout]:
    payouts = lock_payouts(list(batch.payouts.values_list("pk", flat=True)))
    return [payout for payout in payouts if payout.status == PayoutStatus.EXPORTED]


def batch_of(sending: PayoutSending) -> Batch:
    """Raises SecretUnreadable."""
    batch = sending.batch
    return Batch(
        reference=batch.reference,
        currency=batch.currency,
        transfers=details.open_transfers(batch.content),
        remote_id=sending.remote_id,
    )


def settings_of(account: PayoutAccount) -> ProviderSettings:
    """Raises SecretUnreadable."""
    return ProviderSettings(
        address=account.address,
        parameters=(),
        values=account.config,
        secrets=CREDENTIALS.open(account.secrets),
    )
