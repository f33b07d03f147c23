"""URLs for monitoring: liveness, readiness and metrics."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.db.transaction import non_atomic_requests
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from affiliates.operations.monitoring.metrics import metrics
from affiliates.operations.monitoring.probes import live, ready

View = Callable[[HttpRequest], HttpResponse]


def _plain(view: View) -> View:
    """For callers without a session: no login, and no transaction around it."""
    return login_not_required(non_atomic_requests(require_safe(view)))


urlpatterns = [
    path("health/live", _plain(live), name="affiliates_live"),
    path("health/ready", _plain(ready), name="affiliates_ready"),
    path("metrics", _plain(metrics), name="affiliates_metrics"),
]
