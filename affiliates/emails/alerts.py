"""Notifies staff of lasting failures that would otherwise go unnoticed."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from affiliates.emails.services import notify_staff
from affiliates.emails.types import EmailKind
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.types import WEBHOOK
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

# Shorter outages end by themselves, and nothing is lost meanwhile.
PATIENCE = timedelta(minutes=30)


def notify_of_integrations(*, now: datetime) -> int:
    """Notifies staff once of each outage of an integration; returns the number."""
    since = now - PATIENCE
    down = IntegrationHealth.objects.filter(
        Q(last_ok_at__isnull=True) | Q(last_ok_at__lt=since),
        paused_until__isnull=False,
        failures__gt=0,
        integration__is_active=True,
        integration__created_at__lt=since,
    )
    integrations = list(down.select_related("integration").order_by("pk"))
    with transaction.atomic():
        for health in integrations:
            answered = health.last_ok_at
            last = "never" if answered is None else f"{answered:%Y%m%dT%H%M%S}"
            notify_staff(
                EmailKind.STAFF_INTEGRATION,
                brand_id=health.integration.brand_id,
                fact=f"{health.pk}:{last}",
                values={
                    "integration_id": health.integration_id,
                    "model": "webhook"
                    if health.integration.provider == WEBHOOK
                    else "trackingintegration",
                    "integration": str(health.integration),
                    "failures": health.failures,
                    "reason": health.last_failure,
                },
                now=now,
            )
    return len(integrations)


@register(
    "alerts",
    every=timedelta(minutes=5),
    does="Queues e-mails to a brand's staff about integrations that do not answer.",
)
def alert_staff(now: Clock, should_stop: ShouldStop) -> str:
    down = notify_of_integrations(now=now())
    return f"{down:,} integrations do not answer." if down else ""
