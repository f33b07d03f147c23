"""Describes waiting deliveries, since when they wait, and the provider's health."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, Min
from django.utils.timesince import timesince

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration

MAX_COUNTED = 10_000


def describe_backlog(integration: TrackingIntegration, *, now: datetime) -> str:
    """Describes what waits, counted up to MAX_COUNTED rows; "" for nothing."""
    waiting = Delivery.objects.filter(
        integration=integration, next_at__isnull=False
    ).order_by("next_at")
    rows = Delivery.objects.filter(pk__in=waiting.values("pk")[:MAX_COUNTED])
    found = rows.aggregate(count=Count("pk"), oldest=Min("created_at"))
    count, oldest = found["count"], found["oldest"]
    if oldest is None:
        return ""
    more = " or more" if count == MAX_COUNTED else ""
    return f"{count:,}{more}, the oldest for {timesince(oldest, now)}"


def describe_health(integration: TrackingIntegration, *, now: datetime) -> str:
    """Says in a sentence whether the provider answers."""
    health: IntegrationHealth | None = getattr(integration, "health", None)
    if not integration.is_active:
        return "Switched off: nothing is sent."
    if health is None or (health.last_ok_at is None and not health.failures):
        return "Not called yet."
    if not health.failures:
        return "Yes."
    reason = health.last_failure
    if health.paused_until and health.paused_until > now:
        wait = max(1, round((health.paused_until - now).total_seconds()))
        return (
            f"No: {health.failures} failures in a row. {reason} "
            f"Paused; the next trial is in {wait} s."
        )
    return f"Not lately: {health.failures} failures in a row. {reason}"
