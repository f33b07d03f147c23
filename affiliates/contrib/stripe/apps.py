from __future__ import annotations

from django.apps import AppConfig


class StripeConfig(AppConfig):
    name = "affiliates.contrib.stripe"
    label = "affiliates_stripe"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: Stripe"
