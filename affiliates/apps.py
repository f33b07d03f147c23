from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AffiliatesConfig(AppConfig):
    name = "affiliates"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.utils.module_loading import autodiscover_modules

        from affiliates import roles
        from affiliates.audit import recording
        from affiliates.brands import services as brands
        from affiliates.contrib.area.looks import services as looks
        from affiliates.contrib.statistics import feed
        from affiliates.health.checks import registered  # noqa: F401 - the system checks

        brands.watch_configuration()
        looks.watch_logouts()
        recording.watch_rows()
        roles.watch_migrations()
        post_migrate.connect(feed.install_triggers, sender=self)
        autodiscover_modules("affiliates_hooks")
