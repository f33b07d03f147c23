from __future__ import annotations

from django.apps import AppConfig


class TapfiliateConfig(AppConfig):
    name = "affiliates.contrib.tapfiliate"
    label = "affiliates_tapfiliate"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: tapfiliate"
