"""Matures commissions whose hold is over."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from affiliates.adapter import get_adapter
from affiliates.commissions import rules
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import NOT_OVER, CommissionStatus
from affiliates.commissions.selectors import terms_of_commission
from affiliates.commissions.services.locks import lock_commissions
from affiliates.commissions.services.steps import CommissionStep, take_steps
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matured:
    """The result of a batch. ``last_id`` is where the next one begins, None: no more.

    ``skipped`` counts those that are locked, or whose host gave no answer: the next
    pass includes them again.
    """

    approved: int = 0
    waiting: int = 0
    rejected: int = 0
    skipped: int = 0
    last_id: int | None = None

    @property
    def total(self) -> int:
        return self.approved + self.waiting + self.rejected + self.skipped

    def __str__(self) -> str:
        return (
            f"{self.approved:,} approved, {self.waiting:,} wait for staff, "
            f"{self.rejected:,} rejected, {self.skipped:,} left for the next pass."
        )


@register(
    "commissions",
    every=timedelta(minutes=1),
    does="Approves the commissions whose hold is over, as their plans say.",
    needs="The host's `is_service_active`, where a plan asks for an active service.",
)
def mature_commissions(now: Clock, should_stop: ShouldStop) -> str:
    matured = mature_all(now=now, should_stop=should_stop)
    return str(matured) if matured.total else ""


def mature_all(
    *, now: Callable[[], datetime], should_stop: Callable[[], bool] = lambda: False
) -> Matured:
    """Matures what is due, batch by batch, and adds up the results."""
    batches = []
    after_id: int | None = 0
    while after_id is not None and not should_stop():
        batches.append(mature_due(now=now(), after_id=after_id))
        after_id = batches[-1].last_id
    return Matured(
        approved=sum(batch.approved for batch in batches),
        waiting=sum(batch.waiting for batch in batches),
        rejected=sum(batch.rejected for batch in batches),
        skipped=sum(batch.skipped for batch in batches),
    )


def mature_due(*, now: datetime, limit: int = 500, after_id: int = 0) -> Matured:
    """Gives commissions whose hold is over the status that their plan sets.

    The host is asked whether their services are active before anything is locked. Any
    number of processes may run this at once and repeatedly.
    """
    due = list(
        Commission.objects.filter(
            status=CommissionStatus.PENDING, matures_at__lte=now, pk__gt=after_id
        )
        .exclude(share_of__status__in=NOT_OVER)
        .select_related("plan_version", "sale__order_referral")
        .order_by("pk")[:limit]
    )
    if not due:
        return Matured()
    answers = _ask_host(due)
    statuses = _mature(answers, now=now)
    return Matured(
        approved=statuses[CommissionStatus.APPROVED],
        waiting=statuses[CommissionStatus.MATURED],
        rejected=statuses[CommissionStatus.REJECTED],
        skipped=len(due) - statuses.total(),
        last_id=due[-1].pk if len(due) == limit else None,
    )


def _ask_host(due: list[Commission]) -> dict[int, bool | None]:
    """Whether each service is active, without those whose host failed to answer."""
    adapter = get_adapter()
    answers: dict[int, bool | None] = {}
    for commission in due:
        terms = terms_of_commission(commission)
        if not terms.needs_active_service:
            answers[commission.pk] = None
            continue
        order_ref = commission.sale.order_referral.order_ref
        try:
            answers[commission.pk] = adapter.is_service_active(
                order_ref, brand_id=commission.brand_id
            )
        except Exception as error:  # noqa: BLE001 - a host's adapter may raise anything
            # One order that the host cannot answer for must not delay the others.
            logger.warning(
                "The host did not say whether a service is active",
                extra={"commission": commission.pk, "error": type(error).__name__},
            )
    return answers


@transaction.atomic
def _mature(
    answers: Mapping[int, bool | None], *, now: datetime
) -> Counter[CommissionStatus]:
    steps = []
    for commission in lock_commissions(answers.keys(), skip_locked=True):
        # It may have changed since it was read.
        if (
            commission.status != CommissionStatus.PENDING
            or commission.waits_for_its_own
        ):
            continue
        judgement = rules.judge_mature(
            approves_itself=terms_of_commission(commission).approves_itself,
            service_is_active=answers[commission.pk],
        )
        steps.append(CommissionStep(commission, *judgement))
    take_steps(steps, actor_id=None, now=now)
    return Counter(step.status for step in steps)
