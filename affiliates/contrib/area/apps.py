from __future__ import annotations

from typing import ClassVar

from django.apps import AppConfig


class AreaConfig(AppConfig):
    name = "affiliates.contrib.area"
    label = "affiliates_area"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: area"
    needs: ClassVar = (
        "affiliates.contrib.claims",
        "affiliates.contrib.recruitment",
        "affiliates.contrib.statistics",
    )
