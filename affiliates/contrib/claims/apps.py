from __future__ import annotations

from django.apps import AppConfig


class ClaimsConfig(AppConfig):
    name = "affiliates.contrib.claims"
    label = "affiliates_claims"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: claims"
