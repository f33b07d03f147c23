from __future__ import annotations

from django.apps import AppConfig


class AffiliatesConfig(AppConfig):
    name = "affiliates"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from affiliates import hooks, roles
        from affiliates.audit import recording
        from affiliates.brands import services as brands
        from affiliates.waiting import sockets

        brands.watch_configuration()
        sockets.watch_connections()
        roles.watch_migrations()
        hooks.discover()
        recording.watch_rows()
