from __future__ import annotations

from django.apps import AppConfig


class PayoutRunsConfig(AppConfig):
    name = "affiliates.contrib.payout_runs"
    label = "affiliates_payout_runs"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: payout runs"
