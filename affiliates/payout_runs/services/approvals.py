"""Approving a run, which writes its files; discarding its draft; closing it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.commissions.services.locks import lock_affiliates
from affiliates.errors import StateConflict, required_text
from affiliates.payout_runs.models import MAX_TEXT, PayoutRun
from affiliates.payout_runs.rules import LineOutcome, RunStatus
from affiliates.payout_runs.selectors import has_open_payouts, payout_ids_of
from affiliates.payout_runs.services.drafts import READY
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import INACTIVE, OWN_PAYOUT, PayoutStatus
from affiliates.payouts.selectors import export_groups, payout_terms
from affiliates.payouts.services.batches import MAX_LINES, export_batch
from affiliates.payouts.services.decisions import reject_payout
from affiliates.payouts.services.steps import lock_payouts, move
from affiliates.program.rules import AffiliateStatus
from affiliates.records import lock

DISCARDED = "The payout run was discarded. The money is payable again."


@transaction.atomic
def approve_run(*, run_id: int, actor_id: Any, now: datetime) -> PayoutRun:
    """Release the run's payouts and write its files, one for each method and currency.

    Where the brand asks for two persons, the first who approves a scheduled run has
    only looked at it: it stays a draft for the second. Whoever was suspended since gets
    the money back to the payable balance. Raises StateConflict for what is no draft, for
    whoever prepared it or is paid by it, and where a file cannot be written.
    """
    run = lock(PayoutRun, run_id)
    if run.status != RunStatus.DRAFT:
        label = RunStatus(run.status).label.lower()
        by = f" by {run.approved_by}" if run.approved_by else ""
        raise StateConflict("run_not_draft", f"The run is {label} already{by}.")
    payouts = lock_payouts(payout_ids_of(run, *READY))
    if actor_id in {payout.affiliate.user_id for payout in payouts}:
        raise StateConflict(*OWN_PAYOUT)
    is_for_two = run.is_for_two or payout_terms(run.brand_id).needs_second_person
    if is_for_two and run.prepared_by_id is None:
        return run.change(is_for_two=True, prepared_by_id=actor_id)
    if is_for_two and run.prepared_by_id == actor_id:
        raise StateConflict(
            "second_person", "You prepared this run: a second person has to approve it."
        )
    _release(run, payouts, actor_id=actor_id, now=now)
    return run.change(
        status=RunStatus.APPROVED,
        is_for_two=is_for_two,
        approved_at=now,
        approved_by_id=actor_id,
    )


@transaction.atomic
def discard_run(*, run_id: int, reason: str, actor_id: Any, now: datetime) -> PayoutRun:
    """Give back what the draft set aside; what affiliates asked for stays asked for."""
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
    _reject(payouts, DISCARDED, actor_id=actor_id, now=now)
    count = run.lines.count()
    return run.change(
        status=RunStatus.DISCARDED, reason=reason, closed_at=now, line_count=count
    )


@transaction.atomic
def close_if_finished(*, run_id: int, now: datetime) -> bool:
    """Close an approved run of which nothing is under way any more."""
    run = lock(PayoutRun, run_id)
    if run.status != RunStatus.APPROVED or has_open_payouts(run):
        return False
    run.change(status=RunStatus.CLOSED, closed_at=now)
    return True


def _release(
    run: PayoutRun, payouts: list[Payout], *, actor_id: Any, now: datetime
) -> None:
    is_active = {
        one.pk: one.affiliate.status == AffiliateStatus.ACTIVE for one in payouts
    }
    active = [payout for payout in payouts if is_active[payout.pk]]
    others = [payout for payout in payouts if not is_active[payout.pk]]
    _reject(others, INACTIVE.detail, actor_id=actor_id, now=now)
    for payout in active:
        if payout.status == PayoutStatus.REQUESTED:
            move(payout, PayoutStatus.APPROVED, actor_id=actor_id, now=now)
    for group in export_groups([payout.pk for payout in active]):
        for start in range(0, len(group), MAX_LINES):
            export_batch(
                payout_ids=group[start : start + MAX_LINES],
                actor_id=actor_id,
                now=now,
                run_id=run.pk,
            )


def _reject(
    payouts: list[Payout], reason: str, *, actor_id: Any, now: datetime
) -> None:
    # All at once and in their order: one after another could wait in a circle.
    lock_affiliates([payout.affiliate_id for payout in payouts])
    for payout in payouts:
        reject_payout(payout_id=payout.pk, reason=reason, actor_id=actor_id, now=now)
