from __future__ import annotations

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from portal import checks  # noqa: F401 - registers the system checks
        from portal.billing import restoring  # noqa: F401 - receives a signal
        from portal.clients import schema  # noqa: F401 - registers the token scheme
