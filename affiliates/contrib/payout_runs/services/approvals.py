"""Approves a run, which writes its files; discards its draft; closes it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.commissions.services.locks import lock_affiliates
from affiliates.contrib.payout_runs.models import MAX_TEXT, PayoutRun, PayoutRunFile
from affiliates.contrib.payout_runs.rules import LineOutcome, RunStatus
from affiliates.contrib.payout_runs.selectors import (
    has_open_payouts,
    is_for_two,
    payout_ids_of,
)
from affiliates.contrib.payout_runs.services.drafts import READY
from affiliates.db.records import lock
from affiliates.errors import StateConflict, required_text
from affiliates.payouts.models import Payout
from affiliates.payouts.requirements.registry import unmet_approvals
from affiliates.payouts.rules import (
    COOLS_OFF,
    INACTIVE,
    NO_ACCOUNT_CREDIT,
    OWN_PAYOUT,
    Approval,
    PayoutStatus,
    Refusal,
    is_cooling_off,
    judge_approval,
)
from affiliates.payouts.selectors import can_be_paid_to, export_groups
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.decisions import reject_payout
from affiliates.payouts.services.steps import approve, lock_payouts, prepare
from affiliates.program.rules import AffiliateStatus

MAX_NAMED = 10
DISCARDED = "The payout run was discarded. The money is payable again."


@transaction.atomic
def approve_run(*, run_id: int, actor_id: Any, now: datetime) -> PayoutRun:
    """Releases the run's payouts and writes its files, one per method and currency.

    If the brand requires two people, the first approval of a scheduled run only counts
    as preparing it: it stays a draft for the second. Payouts that can no longer be
    paid, such as those of an affiliate that has been suspended or is cooling off,
    become payable again. Raises StateConflict if the run is no draft, for a person who
    prepared it or one of its payouts or is paid by it, while a payout waits for
    something such as an invoice, and if a file cannot be written.
    """
    run = lock(PayoutRun, run_id)
    if run.status != RunStatus.DRAFT:
        label = RunStatus(run.status).label.lower()
        by = f" by {run.approved_by}" if run.approved_by else ""
        raise StateConflict("run_not_draft", f"The run is {label} already{by}.")
    payouts = lock_payouts(payout_ids_of(run, *READY))
    if actor_id in {payout.affiliate.user_id for payout in payouts}:
        raise StateConflict(*OWN_PAYOUT)
    _require_ready(payouts)
    for_two = is_for_two(run)
    approval = judge_approval(
        is_for_two=for_two, prepared_by=run.prepared_by_id, actor=actor_id
    )
    if isinstance(approval, Refusal):
        raise StateConflict(*approval)
    if approval is Approval.FIRST:
        return run.change(is_for_two=True, prepared_by_id=actor_id)
    _release(run, payouts, is_for_two=for_two, actor_id=actor_id, now=now)
    return run.change(
        status=RunStatus.APPROVED,
        is_for_two=for_two,
        approved_at=now,
        approved_by_id=actor_id,
    )


@transaction.atomic
def discard_run(*, run_id: int, reason: str, actor_id: Any, now: datetime) -> PayoutRun:
    """Releases the draft's balances; affiliates' own requests stay requested."""
    reason = required_text(reason, field="reason", most=MAX_TEXT)
    run = lock(PayoutRun, run_id)
    if run.status == RunStatus.DISCARDED:
        return run
    if not RunStatus(run.status).is_draft:
        raise StateConflict("run_not_draft", "Only a draft can be discarded.")
    set_aside = run.lines.filter(
        outcome=LineOutcome.SET_ASIDE, payout__status__in=READY
    )
    payouts = lock_payouts(list(set_aside.values_list("payout_id", flat=True)))
    _reject(dict.fromkeys(payouts, DISCARDED), actor_id=actor_id, now=now)
    count = run.lines.count()
    return run.change(
        status=RunStatus.DISCARDED, reason=reason, closed_at=now, line_count=count
    )


@transaction.atomic
def close_if_finished(*, run_id: int, now: datetime) -> bool:
    """Closes an approved run that has no open payouts."""
    run = lock(PayoutRun, run_id)
    if run.status != RunStatus.APPROVED or has_open_payouts(run):
        return False
    run.change(status=RunStatus.CLOSED, closed_at=now)
    return True


def _require_ready(payouts: list[Payout]) -> None:
    """Raises StateConflict that names the payouts which cannot be approved yet."""
    requested = [row for row in payouts if row.status == PayoutStatus.REQUESTED]
    unmet = unmet_approvals(requested)
    named = [f"{row}: {unmet[row.pk].detail}" for row in requested if row.pk in unmet]
    if named:
        raise StateConflict(
            "payouts_wait",
            f"{len(named):,} of its payouts cannot be approved yet: wait, or reject "
            f"them. {' '.join(named[:MAX_NAMED])}",
        )


def _release(
    run: PayoutRun,
    payouts: list[Payout],
    *,
    is_for_two: bool,
    actor_id: Any,
    now: datetime,
) -> None:
    refusals = {payout: _why_not_paid(payout, now=now) for payout in payouts}
    paid = [payout for payout, reason in refusals.items() if not reason]
    refused = {payout: reason for payout, reason in refusals.items() if reason}
    _reject(refused, actor_id=actor_id, now=now)
    for payout in paid:
        if payout.status == PayoutStatus.REQUESTED:
            if is_for_two and payout.prepared_by_id is None:
                prepare(payout, actor_id=run.prepared_by_id, now=now)
            approval = judge_approval(
                is_for_two=is_for_two, prepared_by=payout.prepared_by_id, actor=actor_id
            )
            if isinstance(approval, Refusal):
                raise StateConflict(approval.code, f"{payout}: {approval.detail}")
            approve(payout, is_for_two=is_for_two, actor_id=actor_id, now=now)
    for group in export_groups([payout.pk for payout in paid]):
        batch = export_batch(payout_ids=group, actor_id=actor_id, now=now)
        PayoutRunFile.objects.create(run=run, batch=batch)


def _why_not_paid(payout: Payout, *, now: datetime) -> str:
    if not AffiliateStatus(payout.affiliate.status).is_paid:
        return INACTIVE.detail
    if is_cooling_off(payout.affiliate.cools_off_until, now=now):
        return COOLS_OFF.detail
    if not can_be_paid_to(payout.destination.kind):
        return NO_ACCOUNT_CREDIT.detail
    return ""


def _reject(refused: Mapping[Payout, str], *, actor_id: Any, now: datetime) -> None:
    # All locked at once and in order: one by one, two runs could deadlock.
    lock_affiliates([payout.affiliate_id for payout in refused])
    for payout, reason in refused.items():
        reject_payout(payout_id=payout.pk, reason=reason, actor_id=actor_id, now=now)
