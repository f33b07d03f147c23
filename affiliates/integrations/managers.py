"""Managers of some rows: trackers, webhooks, and the rows staff maintain."""

from __future__ import annotations

from typing import TypeVar

from django.db import models

from affiliates.integrations.providers.webhook import WEBHOOK
from affiliates.records import RecordManager

M = TypeVar("M", bound=models.Model)


class TrackerManager(RecordManager[M]):
    """Trackers only, without the webhooks that share their outbox."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().exclude(provider=WEBHOOK)


class WebhookManager(RecordManager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(provider=WEBHOOK)


class AffiliateWebhookManager(WebhookManager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        # One without an address was deleted by its affiliate.
        of_affiliates = super().get_queryset().filter(affiliate__isnull=False)
        return of_affiliates.exclude(address="")


class OperatorsHealthManager(RecordManager[M]):
    """Leaves out affiliates' webhooks, which the affiliates maintain."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(integration__affiliate=None)
