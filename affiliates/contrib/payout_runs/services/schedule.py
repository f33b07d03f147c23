"""The worker's job for runs: drafts due runs and continues unfinished work."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction

from affiliates.contrib.payout_runs.models import MAX_TEXT, PayoutAnswer, PayoutRun
from affiliates.contrib.payout_runs.rules import RunStatus, due_period
from affiliates.contrib.payout_runs.services.answers import apply_answer
from affiliates.contrib.payout_runs.services.approvals import (
    approve_run,
    close_if_finished,
)
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.db.records import lock
from affiliates.errors import AffiliatesError
from affiliates.payouts.models import PayoutTerms
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop


@register(
    "payout_runs",
    every=timedelta(minutes=1),
    does="Drafts the payout runs that are due, goes on with drafts and answers, and "
    "closes finished runs.",
)
def run_payouts(now: Clock, should_stop: ShouldStop) -> str:
    return work_at_runs(clock=now, should_stop=should_stop)


def work_at_runs(
    *, clock: Callable[[], datetime], should_stop: Callable[[], bool]
) -> str:
    """Harmless if repeated or run concurrently. Returns a summary of its work."""
    done = [_draft_due(clock(), clock, should_stop), _close(clock())]
    begun = PayoutAnswer.objects.filter(
        applied_by__isnull=False, applied_at__isnull=True
    )
    for answer in begun:
        apply_answer(answer_id=answer.pk, clock=clock, should_stop=should_stop)
    return " ".join(text for text in done if text)


def _draft_due(
    now: datetime, clock: Callable[[], datetime], should_stop: Callable[[], bool]
) -> str:
    scheduled = PayoutTerms.objects.filter(
        first_run_on__isnull=False, brand__is_active=True
    )
    for terms in scheduled.select_related("brand"):
        today = now.astimezone(terms.brand.zone()).date()
        period = due_period(first_run_on=terms.first_run_on, today=today)
        if period is not None:
            start_run(brand_id=terms.brand_id, period=period, actor_id=None, now=now)
    drafting = list(PayoutRun.objects.filter(status=RunStatus.DRAFTING))
    for run in drafting:
        _draft(run, clock, should_stop)
    return f"{len(drafting)} payout runs drafted." if drafting else ""


def _draft(
    run: PayoutRun, clock: Callable[[], datetime], should_stop: Callable[[], bool]
) -> None:
    run = draft(run, clock=clock, should_stop=should_stop)
    approves_itself = PayoutTerms.objects.filter(
        brand_id=run.brand_id, runs_approve_themselves=True, needs_second_person=False
    )
    is_ready = run.status == RunStatus.DRAFT and run.period is not None
    if is_ready and not run.is_for_two and approves_itself.exists():
        try:
            approve_run(run_id=run.pk, actor_id=None, now=clock())
        except AffiliatesError as error:
            _say_why(run.pk, error.detail)


@transaction.atomic
def _say_why(run_id: int, reason: str) -> None:
    """The run stays a draft, and its page shows what staff must correct."""
    run = lock(PayoutRun, run_id)
    # Unless staff have approved or discarded it.
    if run.status == RunStatus.DRAFT:
        run.change(reason=reason[:MAX_TEXT])


def _close(now: datetime) -> str:
    approved = PayoutRun.objects.filter(status=RunStatus.APPROVED)
    closed = [run for run in approved if close_if_finished(run_id=run.pk, now=now)]
    return f"{len(closed)} payout runs closed." if closed else ""
