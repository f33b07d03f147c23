from __future__ import annotations

from django.apps import AppConfig


class ReconciliationConfig(AppConfig):
    name = "affiliates.contrib.reconciliation"
    label = "affiliates_reconciliation"
    verbose_name = "Affiliates: reconciliation"
