"""The core's gauges: what waits, for how long, and whether anybody works on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, CharField, Count, Min, QuerySet, Value, When
from django.db.models.functions import Cast

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.emails.models import Email
from affiliates.operations.monitoring.registry import Gauge, Sample, register
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.outbox.queue.rules import NEEDS_A_PERSON
from affiliates.outbox.sending.lease import due_deliveries
from affiliates.worker.selectors import health, last_verification

LOST_DAYS = 7
# All of them together: there may be one for each affiliate.
OF_AFFILIATES = "affiliates"
INTEGRATION = ("integration", "provider")


@register(
    Gauge(
        "affiliates_deliveries",
        f"Open deliveries, and those of the last {LOST_DAYS} days that need a person.",
        (*INTEGRATION, "state"),
    ),
)
def deliveries(now: datetime) -> Iterator[Sample]:
    of_affiliate = When(integration__affiliate__isnull=False, then=Value(OF_AFFILIATES))
    label = Case(
        of_affiliate,
        default=Cast("integration_id", CharField()),
        output_field=CharField(),
    )
    lost = Delivery.objects.filter(
        state__in=NEEDS_A_PERSON,
        next_at=None,
        created_at__gt=now - timedelta(days=LOST_DAYS),
    )
    # Of both kinds may be some in one state.
    counts: Counter[tuple[str, ...]] = Counter()
    for rows in (Delivery.objects.filter(next_at__isnull=False), lost):
        for *labels, count in (
            rows.order_by()
            .values_list(label, "integration__provider", "state")
            .annotate(count=Count("pk"))
        ):
            counts[tuple(labels)] += count
    for labels_of_one, count in counts.items():
        yield Sample("affiliates_deliveries", count, labels_of_one)


@register(
    Gauge(
        "affiliates_delivery_oldest_due_seconds",
        "For how long the oldest delivery that may be sent has been due.",
        INTEGRATION,
    ),
    Gauge(
        "affiliates_integration_paused",
        "1 while nothing is sent to the integration, because it failed repeatedly.",
        INTEGRATION,
    ),
    Gauge(
        "affiliates_integration_failing_seconds",
        "For how long the integration has accepted nothing; 0 while it answers.",
        INTEGRATION,
    ),
)
def integrations(now: datetime) -> Iterator[Sample]:
    active = TrackingIntegration.objects.filter(is_active=True, affiliate=None)
    for integration in active.select_related("health"):
        labels = str(integration.pk), integration.provider
        health: IntegrationHealth | None = getattr(integration, "health", None)
        # Without what waits for an earlier one of its visitor or subject.
        oldest = due_deliveries(integration.pk, now=now).first()
        yield Sample(
            "affiliates_delivery_oldest_due_seconds",
            _seconds_since(oldest.next_at if oldest else None, now),
            labels,
        )
        yield Sample(
            "affiliates_integration_failing_seconds",
            _seconds_since(health.failing_since if health else None, now),
            labels,
        )
        until = health.paused_until if health else None
        is_paused = until is not None and until > now
        yield Sample("affiliates_integration_paused", is_paused, labels)


@register(
    Gauge(
        "affiliates_emails",
        "Open e-mails, and those that ended in the last 24 hours.",
        ("state",),
    ),
    Gauge(
        "affiliates_email_oldest_waiting_seconds",
        "For how long the oldest open e-mail has been queued.",
    ),
)
def emails(now: datetime) -> Iterator[Sample]:
    waiting = Email.objects.filter(next_at__isnull=False)
    ended = Email.objects.filter(
        finished_at__gt=now - timedelta(days=1), next_at=None
    ).exclude(recipient="")
    for rows in (waiting, ended):
        for state, count in (
            rows.order_by().values_list("state").annotate(count=Count("pk"))
        ):
            yield Sample("affiliates_emails", count, (state,))
    yield _age("affiliates_email_oldest_waiting_seconds", waiting, "queued_at", now)


@register(
    Gauge(
        "affiliates_commissions_overdue",
        "Commissions whose hold is over and that nobody has approved.",
    ),
    Gauge(
        "affiliates_commission_oldest_overdue_seconds",
        "For how long the hold of the oldest of them has been over.",
    ),
)
def commissions(now: datetime) -> Iterator[Sample]:
    overdue = Commission.objects.filter(
        status=CommissionStatus.PENDING, matures_at__lt=now
    )
    yield Sample("affiliates_commissions_overdue", overdue.count())
    name = "affiliates_commission_oldest_overdue_seconds"
    yield _age(name, overdue, "matures_at", now)


@register(
    Gauge(
        "affiliates_job_age_seconds",
        "How long ago the background job last succeeded.",
        ("name",),
    ),
    Gauge(
        "affiliates_job_late",
        "1 if the background job is overdue and no process runs it.",
        ("name",),
    ),
    Gauge(
        "affiliates_job_failing",
        "1 if the job's last run ended in an error.",
        ("name",),
    ),
)
def jobs(now: datetime) -> Iterator[Sample]:
    for job in health(now):
        labels = (job.name,)
        yield Sample("affiliates_job_late", job.is_late, labels)
        yield Sample("affiliates_job_failing", job.is_failing, labels)
        if job.last_succeeded_at is not None:
            age = _seconds_since(job.last_succeeded_at, now)
            yield Sample("affiliates_job_age_seconds", age, labels)


@register(
    Gauge(
        "affiliates_verification_age_seconds",
        "How long ago the books of all brands were last verified.",
    ),
    Gauge(
        "affiliates_verification_failed", "1 if something did not agree at that time."
    ),
)
def verification(now: datetime) -> Iterator[Sample]:
    if (last := last_verification()) is not None:
        age = _seconds_since(last.at, now)
        yield Sample("affiliates_verification_age_seconds", age)
        yield Sample("affiliates_verification_failed", bool(last.found))


def _age(name: str, rows: QuerySet[Any], field: str, now: datetime) -> Sample:
    oldest: datetime | None = rows.aggregate(oldest=Min(field))["oldest"]
    return Sample(name, _seconds_since(oldest, now))


def _seconds_since(moment: datetime | None, now: datetime) -> float:
    """0 where there is no such moment."""
    return 0.0 if moment is None else max((now - moment).total_seconds(), 0.0)
