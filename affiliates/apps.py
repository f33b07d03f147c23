from __future__ import annotations

from django.apps import AppConfig


class AffiliatesConfig(AppConfig):
    name = "affiliates"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from affiliates import checks  # noqa: F401 - registers the system checks
        from affiliates.api.http import cors
        from affiliates.brands import services as brands

        cors.connect()
        brands.watch_configuration()
