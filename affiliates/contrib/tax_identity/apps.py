from __future__ import annotations

from typing import ClassVar

from django.apps import AppConfig


class TaxIdentityConfig(AppConfig):
    name = "affiliates.contrib.tax_identity"
    label = "affiliates_tax_identity"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: who is paid"
    needs: ClassVar = ("affiliates.contrib.area",)
