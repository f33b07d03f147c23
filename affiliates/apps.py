from __future__ import annotations

from django.apps import AppConfig


class AffiliatesConfig(AppConfig):
    name = "affiliates"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.utils.module_loading import autodiscover_modules

        from affiliates import roles
        from affiliates.audit import recording
        from affiliates.brands import services as brands
        from affiliates.health.checks import registered  # noqa: F401 - the system checks

        brands.watch_configuration()
        recording.watch_rows()
        roles.watch_migrations()
        autodiscover_modules("affiliates_hooks")
