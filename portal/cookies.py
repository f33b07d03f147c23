"""Settings of the portal's sessions and cookies."""

from __future__ import annotations

from typing import Any

from portal.environment import Environment

COOKIES = {"SESSION": "sessionid", "CSRF": "csrftoken", "LANGUAGE": "django_language"}


def session_settings(env: Environment) -> dict[str, Any]:
    """After how long without use a session ends, and after how long in all."""
    ends = {
        "CLIENT_SESSION_IDLE_SECONDS": 86_400,
        "CLIENT_SESSION_SECONDS": 1_209_600,
        "STAFF_SESSION_IDLE_SECONDS": 3_600,
        "STAFF_SESSION_SECONDS": 43_200,
    }
    limits = {name: env.int(name, default=default) for name, default in ends.items()}
    return {**limits, "SESSION_COOKIE_AGE": max(limits.values())}


def cookie_settings(*, is_https: bool) -> dict[str, Any]:
    """With https browsers accept these cookies from this host only, for every path."""
    prefix = "__Host-" if is_https else ""
    return {
        "MESSAGE_STORAGE": "portal.messages.MessageStorage",
        "MESSAGE_COOKIE_NAME": f"{prefix}messages",
        **{f"{one}_COOKIE_NAME": prefix + name for one, name in COOKIES.items()},
        **{f"{one}_COOKIE_SECURE": is_https for one in COOKIES},
    }
