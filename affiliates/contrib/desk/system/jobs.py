"""The page of background jobs: what each does, when it ran, how that ended, what is next."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.worker.rules import in_words
from affiliates.worker.selectors import health
from affiliates.worker.types import JobHealth

PAGE = "affiliates/admin/desk/jobs.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """``colour`` is that of the label which says ``state``."""

    job: JobHealth
    interval: str
    state: str
    colour: str


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    context = {
        **site.each_context(request),
        "title": "Background jobs",
        "rows": [_row(job) for job in health(timezone.now())],
    }
    return TemplateResponse(request, PAGE, context)


def _row(job: JobHealth) -> JobRow:
    state, colour = _state(job)
    return JobRow(job=job, interval=in_words(job.every), state=state, colour=colour)


def _state(job: JobHealth) -> tuple[str, str]:
    if job.is_running:
        return "Running now", "info"
    if job.is_late:
        return "Late", "danger"
    if job.is_failing:
        return "Failed", "warning"
    return ("On time", "success") if job.last_started_at else ("Not run yet", "info")
