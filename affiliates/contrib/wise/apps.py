from __future__ import annotations

from django.apps import AppConfig


class WiseConfig(AppConfig):
    name = "affiliates.contrib.wise"
    label = "affiliates_wise"
    verbose_name = "Affiliates: Wise"
