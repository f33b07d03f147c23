from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import (
    user_logged_in,
    user_logged_out,
    user_login_failed,
)


class PortalConfig(AppConfig):
    name = "portal"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from portal import checks  # noqa: F401 - registers the system checks
        from portal.billing import restoring  # noqa: F401 - receives a signal
        from portal.clients import (
            schema,  # noqa: F401 - registers the token scheme
            security_log,
        )
        from portal.clients.open_sessions import note_login, note_logout

        user_logged_in.connect(note_login, dispatch_uid="portal.note_login")
        user_logged_in.connect(security_log.note_logged_in)
        user_login_failed.connect(security_log.note_login_failed)
        user_logged_out.connect(security_log.note_logged_out)
        user_logged_out.connect(note_logout, dispatch_uid="portal.note_logout")
