"""Whether everything that works in the background does, each part in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timesince import timesince

from affiliates.admin_tools.naming import page_name
from affiliates.outbox.backlog import describe_health
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.worker import selectors as worker

GOOD, WARNING, BAD = "success", "warning", "danger"
# What is due longer than this is late.
PATIENCE = timedelta(minutes=10)
# Run every night, one may fail to run once.
VERIFICATION_PATIENCE = timedelta(days=2)
SHOWN_INTEGRATIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """``colour`` is a label's; ``state`` says the same in a word."""

    name: str
    colour: str
    state: str
    sentence: str
    path: str = ""


def parts(request: HttpRequest, now: datetime) -> list[Part]:
    """As much as this person may look at."""
    rows = worker.rows()
    found = [_jobs(request, now, rows)]
    if request.user.has_perm("affiliates.view_delivery"):
        found += [_deliveries(now), *_integrations(now)]
    return [*found, _verification(now, rows)]


def _jobs(request: HttpRequest, now: datetime, rows: worker.Rows) -> Part:
    name = "Background jobs"
    is_shown = request.user.has_perm("affiliates.view_workerjob")
    path = reverse("admin:affiliates_brand_jobs") if is_shown else ""
    jobs = worker.health(now, rows)
    if not any(job.last_started_at for job in jobs):
        said = "None has ever run: nothing is sent, approved or counted."
        return _bad(name, said, path)
    if late := [job.name for job in jobs if job.is_late]:
        said = f"Late: {', '.join(late)}. Start the worker, or look at your scheduler."
        return _bad(name, said, path)
    if failing := [job for job in jobs if job.is_failing]:
        first = failing[0]
        return _poor(name, f"The job {first.name} fails: {first.last_error}", path)
    return _good(name, f"{len(jobs)} jobs, all on time.", path)


def _deliveries(now: datetime) -> Part:
    name = "Deliveries"
    path = reverse("admin:affiliates_delivery_changelist") + "?waiting=yes"
    late = Delivery.objects.filter(next_at__lt=now - PATIENCE)
    due = late.filter(integration__affiliate=None).order_by("next_at")
    oldest = due.values_list("next_at", flat=True).first()
    if oldest is None:
        return _good(name, "Nothing is late.", path)
    said = f"The oldest that is due waits for {timesince(oldest, now)}."
    return _poor(name, said, path)


def _integrations(now: datetime) -> Iterator[Part]:
    active = TrackingIntegration.objects.filter(is_active=True, affiliate=None)
    rows = active.select_related("brand", "health").order_by(
        F("health__failures").desc(nulls_last=True), "pk"
    )
    for integration in rows[:SHOWN_INTEGRATIONS]:
        health = getattr(integration, "health", None)
        model = (
            "webhook" if integration.provider == "webhook" else "trackingintegration"
        )
        path = reverse(page_name(model, "change"), args=[integration.pk])
        make = _poor if health is not None and health.failures else _good
        said = describe_health(integration, now=now)
        answers = "It answers." if said == "Yes." else said
        yield make(str(integration), answers, path)


def _verification(now: datetime, rows: worker.Rows) -> Part:
    name = "Books"
    last = worker.last_verification(rows)
    if last is None:
        return _poor(name, "Never verified: run manage.py verify_ledger every night.")
    ago = f"{timesince(last.at, now)} ago"
    if last.found:
        return _bad(name, f"{last.found} when verified {ago}.")
    if last.at < now - VERIFICATION_PATIENCE:
        return _poor(name, f"Everything agreed, but that was {ago}.")
    return _good(name, f"Everything agreed when verified {ago}.")


def _good(name: str, sentence: str, path: str = "") -> Part:
    return Part(name=name, colour=GOOD, state="Fine", sentence=sentence, path=path)


def _poor(name: str, sentence: str, path: str = "") -> Part:
    return Part(name=name, colour=WARNING, state="Look", sentence=sentence, path=path)


def _bad(name: str, sentence: str, path: str = "") -> Part:
    return Part(name=name, colour=BAD, state="Broken", sentence=sentence, path=path)
