"""Whether somebody does what is to be done in the background."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.emails.models import Email
from affiliates.operations.health.findings import Finding, counted, error, warning
from affiliates.operations.health.registry import Needs, Shown, register
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.outbox.queue.rules import NEEDS_A_PERSON, TRIED_NEXT, QueueState
from affiliates.outbox.sending.lease import due_deliveries
from affiliates.payouts.sending_models import PayoutSending
from affiliates.visits.unstored.counts import unstored
from affiliates.worker.rules import are_late, fails, never_run
from affiliates.worker.selectors import health

# After so long what is due is late, and an answer no longer recent.
DELIVERY_PATIENCE = timedelta(minutes=10)
COMMISSION_PATIENCE = timedelta(hours=6)
EMAIL_PATIENCE = timedelta(hours=1)
PAYOUT_PATIENCE = timedelta(hours=1)
JOB_PATIENCE = timedelta(minutes=10)
ATTENTION_DAYS = 7
UNSTORED_ATTENTION = timedelta(days=1)
RUN_JOBS = (
    "Run manage.py affiliates_worker as a service of its own, or have your scheduler call "
    "manage.py affiliates_run."
)


@register(Needs.DATABASE)
def jobs(now: datetime) -> Iterator[Finding]:
    known = health(now)
    if not any(job.last_started_at for job in known):
        yield warning(
            "D018",
            never_run(),
            RUN_JOBS,
        )
        return
    if late := [job.name for job in known if job.is_late]:
        yield error("D018", are_late(late), RUN_JOBS)
    for job in known:
        succeeded = job.last_succeeded_at
        if job.is_failing and not (succeeded and succeeded > now - JOB_PATIENCE):
            yield error(
                "D018",
                fails(job.name, job.last_error),
                "Mend what it says, and look at the log. It is tried again by itself.",
            )


@register(Needs.DATABASE)
def emails(now: datetime) -> Iterator[Finding]:
    late = Email.objects.filter(
        next_at__isnull=False, queued_at__lt=now - EMAIL_PATIENCE
    )
    if count := late.count():
        yield error(
            "D022",
            f"{counted(count, 'e-mail', 'e-mails')} could not be sent for an hour or "
            "more.",
            f"Look at them in the admin, under E-mails, and at the mail server. {RUN_JOBS}",
        )
    lost = Email.objects.exclude(recipient="").filter(
        state__in=NEEDS_A_PERSON, finished_at__gt=now - timedelta(days=ATTENTION_DAYS)
    )
    if count := lost.count():
        yield warning(
            "D022",
            f"{counted(count, 'e-mail', 'e-mails')} of the last {ATTENTION_DAYS} days "
            "did not arrive, or nobody knows whether they did.",
            "Look at them in the admin, under E-mails.",
        )


@register(Needs.DATABASE)
def deliveries(now: datetime) -> Iterator[Finding]:
    for integration in sending_integrations(now):
        if late := backlog(integration, now):
            yield late
        yield from _given_up(integration, now)


@register(Needs.DATABASE)
def payout_sendings(now: datetime) -> Iterator[Finding]:
    """Batches of payouts that nobody decides without a person."""
    stuck = PayoutSending.objects.filter(state=QueueState.UNCLEAR, next_at=None)
    if count := stuck.count():
        yield warning(
            "D039",
            f"{counted(count, 'batch', 'batches')} of payouts: nobody knows whether all "
            "of it was paid, and nothing more is tried.",
            "Open it under Payout batches, and look at the provider.",
        )
    late = PayoutSending.objects.filter(
        state__in=TRIED_NEXT, created_at__lt=now - PAYOUT_PATIENCE
    )
    for sending in late.select_related("account__brand", "batch").order_by("pk"):
        yield error(
            "D039",
            f"{sending.batch} is not sent for an hour or more. {sending.detail}".strip(),
            f"Look at {sending.account} under Payout accounts. {RUN_JOBS}",
        )


def sending_integrations(now: datetime) -> QuerySet[TrackingIntegration]:
    """The active ones of brands, each with ``late_since`` for ``backlog``."""
    # Without what waits for an earlier one of its visitor or subject.
    late = due_deliveries(OuterRef("pk"), now=now - DELIVERY_PATIENCE)
    active = TrackingIntegration.objects.filter(is_active=True, affiliate=None)
    return active.select_related("brand", "health").annotate(
        late_since=Subquery(late.values("next_at")[:1])
    )


def backlog(integration: Any, now: datetime) -> Finding | None:
    """Returns the finding on a late sending integration, or None. The desk shows it too."""
    health: IntegrationHealth | None = getattr(integration, "health", None)
    recent = now - DELIVERY_PATIENCE
    if health is not None and health.paused_until and health.paused_until > recent:
        return warning(
            "D015",
            f"{integration} does not answer: {health.failures} failures in a row. "
            f"{health.last_failure}",
            "Look at its page in the admin. What waits is sent when it answers again.",
        )
    if integration.late_since is None:
        return None
    since = f"{integration.late_since:%Y-%m-%d %H:%M} UTC"
    if health is not None and health.last_ok_at and health.last_ok_at > recent:
        return warning(
            "D015",
            f"What waits for {integration} is late, since {since}: more comes than is "
            "sent.",
            "Raise its requests per second, as far as the provider allows.",
        )
    return error(
        "D015",
        f"Nobody delivers to {integration}: the oldest waits since {since}.",
        RUN_JOBS,
    )


def _given_up(integration: TrackingIntegration, now: datetime) -> Iterator[Finding]:
    count = Delivery.objects.filter(
        integration=integration,
        state__in=NEEDS_A_PERSON,
        next_at=None,
        created_at__gt=now - timedelta(days=ATTENTION_DAYS),
    ).count()
    if count:
        yield warning(
            "D016",
            f"{counted(count, 'delivery', 'deliveries')} of the last {ATTENTION_DAYS} "
            f"days to {integration} did not arrive and will not be sent again.",
            "Look at them in the admin, under Deliveries, and resend what is right.",
        )


@register(Needs.DATABASE)
def commissions(now: datetime) -> Iterator[Finding]:
    late = Commission.objects.filter(
        status=CommissionStatus.PENDING, matures_at__lt=now - COMMISSION_PATIENCE
    ).count()
    if late:
        yield error(
            "D017",
            f"The hold of {counted(late, 'commission', 'commissions')} is over since "
            f"{COMMISSION_PATIENCE.seconds // 3600} hours or more, and nobody approves "
            f"{'it' if late == 1 else 'them'}.",
            RUN_JOBS,
        )


@register(Needs.SERVICES, shown=Shown.DOCTOR | Shown.HEALTH, title="Visits")
def unstored_visits(now: datetime) -> Iterator[Finding]:
    """Examines this process only; the desk examines the process that answers it."""
    counts, last_at, visits = unstored()
    count = sum(counts.values())
    if last_at is not None and last_at > now - UNSTORED_ATTENTION:
        yield warning(
            "D023",
            f"The database was away: {count:,} of {counted(visits, 'visit', 'visits')} "
            f"({count / max(visits, 1):.2%}) of this process got no click since it began, "
            f"the last at {last_at:%Y-%m-%d %H:%M} UTC.",
            "Look why the database did not answer. referral.js sends such a visit again; "
            "clicks of other clients are lost.",
        )
