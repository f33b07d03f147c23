from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class StatisticsConfig(AppConfig):
    name = "affiliates.contrib.statistics"
    label = "affiliates_statistics"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: statistics"

    def ready(self) -> None:
        from affiliates.contrib.statistics import feed

        post_migrate.connect(feed.install_triggers, sender=self)
