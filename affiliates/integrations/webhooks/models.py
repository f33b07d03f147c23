from __future__ import annotations

from typing import ClassVar, Self

from affiliates.integrations.managers import AffiliateWebhookManager
from affiliates.integrations.models import Webhook


class AffiliateWebhook(Webhook):
    """An affiliate's webhook for the staff's pages."""

    objects: ClassVar[AffiliateWebhookManager[Self]] = AffiliateWebhookManager()

    class Meta:
        proxy = True
        ordering = ["-pk"]
        verbose_name = "affiliate's webhook"
        verbose_name_plural = "affiliates' webhooks"
