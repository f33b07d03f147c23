"""Whether everything that works in the background does, each part in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.checks import ERROR, INFO, WARNING
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Exists, F, OuterRef
from django.http import HttpRequest
from django.utils.timesince import timesince

from affiliates.admin_tools.naming import page_name
from affiliates.admin_tools.visible import brands_of
from affiliates.operations.health.findings import FINE, AdminPage, Finding
from affiliates.operations.health.registry import Needs, Shown, register, titled
from affiliates.operations.health.work import (
    DELIVERY_PATIENCE,
    backlog,
    sending_integrations,
)
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.selectors import ANSWERS, NOT_CALLED, describe_health
from affiliates.worker import selectors as worker
from affiliates.worker.rules import are_late, fails, never_run
from affiliates.worker.types import JobHealth, Verified

LABELS = {
    FINE: ("success", "Fine"),
    INFO: ("info", "Unused"),
    WARNING: ("warning", "Look"),
    ERROR: ("danger", "Broken"),
}
SEE_DELIVERIES = "affiliates.view_delivery"
# Run every night, one may fail to run once.
VERIFICATION_PATIENCE = timedelta(days=2)
SHOWN_INTEGRATIONS = 8
BOOKS = "Books"


class Part(NamedTuple):
    """``colour`` is a label's; ``state`` says the same in a word."""

    name: str
    colour: str
    state: str
    sentence: str
    path: str


def parts(request: HttpRequest, now: datetime) -> list[Part]:
    """Returns the panels for this person: none if limited to single brands."""
    if brands_of(request.user) is not None:
        return []
    may = request.user.has_perm
    panels = []
    for finding in titled(Shown.HEALTH, now, request.user):
        path = (
            finding.page.address
            if finding.page and may(finding.page.permission)
            else ""
        )
        panels.append(Part(finding.title, *LABELS[finding.level], finding.said, path))
    return panels


@register(Needs.DATABASE, shown=Shown.HEALTH)
def work(now: datetime) -> Iterator[Finding]:
    """The jobs, and the outcome of the one that verifies the books."""
    rows = worker.read_jobs()
    yield _jobs(worker.health(now, rows))
    yield _books(worker.last_verification(rows), now)


def _jobs(known: Sequence[JobHealth]) -> Finding:
    page = AdminPage("admin:affiliates_brand_jobs", "affiliates.view_workerjob")
    level, said = FINE, f"{len(known)} jobs, all on time."
    if not any(job.last_started_at for job in known):
        level, said = ERROR, never_run()
    elif late := [job.name for job in known if job.is_late]:
        level, said = ERROR, are_late(late)
    elif failing := [job for job in known if job.is_failing]:
        first = failing[0]
        level, said = WARNING, fails(first.name, first.last_error)
    return Finding(level, said, title="Background jobs", page=page)


def _books(last: Verified | None, now: datetime) -> Finding:
    if last is None:
        return _not_verified(now)
    ago = f"{timesince(last.at, now)} ago"
    level, said = FINE, f"Everything agreed when verified {ago}."
    if last.found:
        level, said = ERROR, f"{last.found} when verified {ago}."
    elif last.at < now - VERIFICATION_PATIENCE:
        level, said = WARNING, f"Everything agreed, but that was {ago}."
    return Finding(level, said, title=BOOKS)


def _not_verified(now: datetime) -> Finding:
    """Fine in the first days of an installation: the first night is still to come."""
    installed = MigrationRecorder.Migration.objects.filter(app="affiliates")
    if installed.filter(applied__lt=now - VERIFICATION_PATIENCE).exists():
        return Finding(
            WARNING,
            "Never verified: run manage.py verify_ledger every night.",
            title=BOOKS,
        )
    return Finding(
        FINE,
        "Not verified yet: run manage.py verify_ledger in the first two days.",
        title=BOOKS,
    )


@register(Needs.DATABASE, shown=Shown.HEALTH, permission=SEE_DELIVERIES)
def deliveries(now: datetime) -> Iterator[Finding]:
    """Yields the late deliveries overall, then whether each integration answers."""
    waits = Delivery.objects.filter(
        integration=OuterRef("pk"), next_at__lte=now - DELIVERY_PATIENCE
    )
    rows = list(
        sending_integrations(now)
        .annotate(waits=Exists(waits))
        .order_by(F("health__failures").desc(nulls_last=True), "pk")
    )
    yield _late(rows, now)
    for integration in rows[:SHOWN_INTEGRATIONS]:
        yield _answers(integration, now)


def _late(rows: Sequence[Any], now: datetime) -> Finding:
    late = [overdue for row in rows if (overdue := backlog(row, now))]
    level, said = FINE, "Nothing is late."
    if late:
        worst = max(late, key=lambda row: row.level)
        level, said = worst.level, worst.said
    elif any(row.waits for row in rows):
        said = (
            "Nothing is late. Some deliveries wait for an earlier one of their visitor "
            "or subject."
        )
    path = "admin:affiliates_delivery_changelist"
    page = AdminPage(path, SEE_DELIVERIES, query={"waiting": "yes"})
    return Finding(level, said, title="Deliveries", page=page)


def _answers(integration: TrackingIntegration, now: datetime) -> Finding:
    model = "webhook" if integration.provider == "webhook" else "trackingintegration"
    page = AdminPage(page_name(model, "change"), SEE_DELIVERIES, integration.pk)
    said = describe_health(integration, now=now)
    level = {ANSWERS: FINE, NOT_CALLED: INFO}.get(said, WARNING)
    answers = "It answers." if said == ANSWERS else said
    return Finding(level, answers, title=str(integration), page=page)
