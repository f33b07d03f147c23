"""Drafts a run: sets a balance aside for its payout, or records why it is not paid.

Each balance is considered once, in its own transaction, under the locks of the run and
the affiliate: a draft may be interrupted anywhere, and several may continue it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

from django.db import transaction

from affiliates.contrib.payout_runs.models import MAX_TEXT, PayoutRun
from affiliates.contrib.payout_runs.rules import LineOutcome, RunStatus, judge_left_out
from affiliates.contrib.payout_runs.selectors import balances_to_look_at, is_in_a_run
from affiliates.db.records import lock
from affiliates.errors import InvalidInput, StateConflict
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balance
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.payouts.rules import PayoutStatus, Refusal
from affiliates.payouts.selectors import (
    current_destination,
    needs_second_person,
    was_asked_for,
)
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate

READY = (PayoutStatus.REQUESTED, PayoutStatus.APPROVED)


def start_run(
    *, brand_id: int, period: date | None, actor_id: Any, now: datetime
) -> PayoutRun:
    """Returns an empty run of the brand, or the existing one of the period."""
    fields = {
        "status": RunStatus.DRAFTING,
        "is_for_two": needs_second_person(brand_id),
        "created_at": now,
        "prepared_by_id": actor_id,
    }
    if period is None:
        return PayoutRun.objects.create(brand_id=brand_id, **fields)
    run, _ = PayoutRun.objects.get_or_create(
        brand_id=brand_id, period=period, defaults=fields
    )
    return run


@transaction.atomic
def run_of_payouts(
    *, payout_ids: Sequence[int], actor_id: Any, now: datetime
) -> PayoutRun:
    """A draft of exactly these requested or approved payouts of one brand.

    Raises InvalidInput for payouts of several brands, StateConflict if one of them
    cannot be included; then nothing is written.
    """
    payouts = list(Payout.objects.filter(pk__in=payout_ids).order_by("pk"))
    brands = {payout.brand_id for payout in payouts}
    if len(brands) != 1:
        raise InvalidInput("no_single_brand", "A run pays affiliates of one brand.")
    run = start_run(brand_id=brands.pop(), period=None, actor_id=actor_id, now=now)
    for affiliate_id in sorted({payout.affiliate_id for payout in payouts}):
        lock(Affiliate, affiliate_id)
    for payout in Payout.objects.filter(pk__in=payout_ids).order_by("pk"):
        if _why_not_taken(payout):
            raise StateConflict(
                "payout_not_ready",
                f"Payout {payout.pk} is not waiting to be paid, or is in a run already.",
            )
        run.lines.create(
            affiliate_id=payout.affiliate_id,
            currency=payout.currency,
            drafted_at=now,
            **_taken(payout),
        )
    return _finish(run)


def draft(
    run: PayoutRun, *, clock: Callable[[], datetime], should_stop: Callable[[], bool]
) -> PayoutRun:
    """Considers the remaining balances until told to stop. A repeat is harmless."""
    for affiliate_id, currency in balances_to_look_at(run):
        if should_stop():
            return run
        if not _look_at(run.pk, affiliate_id, currency, now=clock()):
            break
    with transaction.atomic():
        run = lock(PayoutRun, run.pk)
        return _finish(run) if run.status == RunStatus.DRAFTING else run


@transaction.atomic
def _look_at(run_id: int, affiliate_id: int, currency: str, *, now: datetime) -> bool:
    """Returns False if the run is no longer being drafted."""
    run = lock(PayoutRun, run_id)
    if run.status != RunStatus.DRAFTING:
        return False
    lock(Affiliate, affiliate_id)
    if run.lines.filter(affiliate_id=affiliate_id, currency=currency).exists():
        return True
    line = _line_of(affiliate_id, currency, now=now)
    run.lines.create(
        affiliate_id=affiliate_id, currency=currency, drafted_at=now, **line
    )
    return True


def _line_of(affiliate_id: int, currency: str, *, now: datetime) -> dict[str, Any]:
    """The fields of the balance's line: paid, or why not."""
    waiting = Payout.objects.filter(
        affiliate_id=affiliate_id, currency=currency, status__in=OPEN_STATUSES
    ).first()
    if waiting is not None and not (reason := _why_not_taken(waiting)):
        return _taken(waiting)
    if waiting is not None:
        amount, outcome, detail = waiting.amount, LineOutcome.OPEN_PAYOUT, reason
    else:
        try:
            payout = request_payout(
                affiliate_id=affiliate_id, currency=currency, now=now, is_by_run=True
            )
        except StateConflict as error:
            payable = balance(affiliate_id, currency, Account.PAYABLE)
            held = balance(affiliate_id, currency, Account.HELD)
            amount = payable or held
            outcome, detail = judge_left_out(
                payable=payable,
                held=held,
                currency=currency,
                refusal=Refusal(error.code, error.detail),
            )
        else:
            return {**_taken(payout), "outcome": LineOutcome.SET_ASIDE}
    return {
        "amount": amount,
        "outcome": outcome,
        "detail": detail[:MAX_TEXT],
        "destination": current_destination(affiliate_id),
    }


def _why_not_taken(payout: Payout) -> str:
    if payout.status not in READY:
        return f"{payout} is {PayoutStatus(payout.status).label.lower()}."
    return f"{payout} is in another run." if is_in_a_run(payout) else ""


def _taken(payout: Payout) -> dict[str, Any]:
    return {
        "amount": payout.amount,
        "outcome": LineOutcome.of_requested(is_by_affiliate=was_asked_for(payout)),
        "payout": payout,
        "destination_id": payout.destination_id,
    }


def _finish(run: PayoutRun) -> PayoutRun:
    return run.change(status=RunStatus.DRAFT, line_count=run.lines.count())
