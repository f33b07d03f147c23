from __future__ import annotations

from typing import ClassVar, Self, TypeVar

from django.db import models

from affiliates.db.records import RecordManager
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.types import WEBHOOK

M = TypeVar("M", bound=models.Model)


class WebhookManager(RecordManager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(provider=WEBHOOK)


class AffiliateWebhookManager(WebhookManager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        # One without an address was deleted by its affiliate.
        of_affiliates = super().get_queryset().filter(affiliate__isnull=False)
        return of_affiliates.exclude(address="")


class Webhook(TrackingIntegration):
    """An address that gets signed events."""

    objects: ClassVar[WebhookManager[Self]] = WebhookManager()

    class Meta:
        proxy = True
        ordering = ["brand__name", "pk"]


class AffiliateWebhook(Webhook):
    """An affiliate's webhook for the staff's pages."""

    objects: ClassVar[AffiliateWebhookManager[Self]] = AffiliateWebhookManager()

    class Meta:
        proxy = True
        ordering = ["-pk"]
        verbose_name = "affiliate's webhook"
        verbose_name_plural = "affiliates' webhooks"
