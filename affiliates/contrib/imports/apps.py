from __future__ import annotations

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "affiliates.contrib.imports"
    label = "affiliates_imports"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: imports"
