from __future__ import annotations

from django.apps import AppConfig


class AffiliatesConfig(AppConfig):
    name = "affiliates"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from affiliates import hooks
        from affiliates.brands import roles
        from affiliates.brands import services as brands
        from affiliates.db.audit import recording
        from affiliates.db.deadlines import sockets

        brands.watch_configuration()
        sockets.watch_connections()
        roles.watch_migrations()
        hooks.discover()
        recording.watch_rows()
