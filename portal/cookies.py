"""Settings of the portal's cookies."""

from __future__ import annotations

from typing import Any

COOKIES = {"SESSION": "sessionid", "CSRF": "csrftoken", "LANGUAGE": "django_language"}


def cookie_settings(*, is_https: bool) -> dict[str, Any]:
    """With https browsers accept these cookies from this host only, for every path."""
    prefix = "__Host-" if is_https else ""
    return {
        "MESSAGE_STORAGE": "portal.messages.MessageStorage",
        "MESSAGE_COOKIE_NAME": f"{prefix}messages",
        **{
            f"{setting}_COOKIE_NAME": prefix + name for setting, name in COOKIES.items()
        },
        **{f"{cookie}_COOKIE_SECURE": is_https for cookie in COOKIES},
    }
