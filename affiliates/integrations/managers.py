"""Some of the rows: trackers, webhooks, and what is for staff to mend."""

from __future__ import annotations

from typing import TypeVar

from django.db import models

from affiliates.integrations.providers.webhook import WEBHOOK
from affiliates.records import RecordManager

M = TypeVar("M", bound=models.Model)


class TrackerManager(RecordManager[M]):
    """Trackers alone, without the webhooks that share their outbox."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().exclude(provider=WEBHOOK)


class WebhookManager(RecordManager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(provider=WEBHOOK)


class AffiliateWebhookManager(WebhookManager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        # One without an address was forgotten by its affiliate.
        of_affiliates = super().get_queryset().filter(affiliate__isnull=False)
        return of_affiliates.exclude(address="")


class OperatorsHealthManager(RecordManager[M]):
    """Without the webhooks of affiliates: those are theirs to mend."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(integration__affiliate=None)
