"""GET /metrics: counters of all processes and gauges read from the rows, in text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hmac import compare_digest
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.conf import conf
from affiliates.operations.monitoring import gauges  # noqa: F401 - registers the core's
from affiliates.operations.monitoring.deadline import WithDeadline
from affiliates.operations.monitoring.registry import GAUGES, Gauge, Sample, read_all
from affiliates.telemetry.counters import HAS_PROMETHEUS, MULTIPROCESS

READ_SECONDS = 5.0
DATABASE_UP = Gauge(
    "affiliates_database_up", "1 if the database answered; 0: the other gauges are out."
)
GAUGES[DATABASE_UP.name] = DATABASE_UP

readings = WithDeadline(lambda: read_all(timezone.now()), seconds=READ_SECONDS)


def metrics(request: HttpRequest) -> HttpResponse:
    """404 unless a token is set; 401 without it."""
    token = conf.metrics_token
    if not token or not HAS_PROMETHEUS:
        raise Http404
    authorization = request.headers.get("Authorization", "")
    if not compare_digest(authorization.encode(), f"Bearer {token}".encode()):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    from prometheus_client import CONTENT_TYPE_LATEST

    headers = {"Cache-Control": "no-store"}
    return HttpResponse(_text(), content_type=CONTENT_TYPE_LATEST, headers=headers)


def _text() -> bytes:
    from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    read, counted = CollectorRegistry(), REGISTRY
    read.register(_Readings(_samples()))
    if MULTIPROCESS in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    return generate_latest(counted) + generate_latest(read)


def _samples() -> Sequence[Sample]:
    """Returns the gauges' samples, or only DATABASE_UP. Counters need no database."""
    try:
        return [*readings.result(), Sample(DATABASE_UP.name, 1)]
    except (DatabaseError, InterfaceError, TimeoutError):
        return [Sample(DATABASE_UP.name, 0)]


class _Readings:
    """A collector of ``prometheus_client``."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._samples = samples

    def collect(self) -> Iterable[Any]:
        from prometheus_client.core import GaugeMetricFamily

        families = {
            name: GaugeMetricFamily(name, about, labels=labels)
            for name, about, labels in GAUGES.values()
        }
        for name, value, labels in self._samples:
            families[name].add_metric(labels, value)
        return families.values()
