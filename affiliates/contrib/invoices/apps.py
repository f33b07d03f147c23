from __future__ import annotations

from typing import ClassVar

from django.apps import AppConfig


class InvoicesConfig(AppConfig):
    name = "affiliates.contrib.invoices"
    label = "affiliates_invoices"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: own invoices"
    needs: ClassVar = ("affiliates.contrib.area",)
