from __future__ import annotations

from typing import ClassVar

from django.apps import AppConfig


class OffersConfig(AppConfig):
    name = "affiliates.contrib.offers"
    label = "affiliates_offers"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: offers"
    needs: ClassVar = ("affiliates.contrib.area",)
