"""Liveness and readiness, for load balancers and orchestrators."""

from __future__ import annotations

from django.core.checks import ERROR
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from affiliates.operations.health.examine import examine
from affiliates.operations.health.registry import Shown
from affiliates.operations.monitoring.deadline import WithDeadline

READY_SECONDS = 1.0
# The database's, which has not answered within that time.
SILENT = "affiliates.D001"


def live(request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nothing of others: their fault is no reason to end it."""
    return _answer(200, status="live")


def ready(request: HttpRequest) -> HttpResponse:
    """Whether requests may be sent here. Names findings by their ids, without details."""
    try:
        faults = readiness.result()
    except TimeoutError:
        faults = [SILENT]
    if faults:
        return _answer(503, status="not ready", findings=faults)
    return _answer(200, status="ready")


def _errors() -> list[str]:
    faults = examine(now=timezone.now(), shown=Shown.READINESS)
    return sorted({str(fault.id) for fault in faults if fault.level >= ERROR})


readiness = WithDeadline(_errors, seconds=READY_SECONDS)


def _answer(status_code: int, **data: object) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return JsonResponse(data, status=status_code, headers=headers)
