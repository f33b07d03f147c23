from __future__ import annotations

from typing import ClassVar

from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "affiliates.contrib.desk"
    label = "affiliates_desk"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: desk"
    needs: ClassVar = (
        "affiliates.contrib.area",
        "affiliates.contrib.claims",
        "affiliates.contrib.payout_runs",
        "affiliates.contrib.recruitment",
        "affiliates.contrib.statistics",
    )
