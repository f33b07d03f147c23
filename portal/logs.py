"""Logs: one line an event on standard error, no request bodies."""

from __future__ import annotations

from typing import Any

FORMATS: dict[str, dict[str, str]] = {
    "line": {
        "()": "affiliates.telemetry.logs.LineFormatter",
        "format": "{asctime} {levelname} {name} [{request_id}]: {message}",
        "style": "{",
    },
    "json": {"()": "affiliates.telemetry.logs.JsonFormatter"},
}


def log_configuration(*, form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING. ``form`` is a key of FORMATS."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "request_id": {"()": "affiliates.telemetry.logs.RequestIdFilter"},
            "route": {"()": "affiliates.telemetry.logs.RouteFilter"},
            "per_minute": {"()": "affiliates.telemetry.logs.PerMinuteFilter"},
        },
        "formatters": FORMATS,
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "filters": ["request_id", "route"],
                "formatter": form,
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django": {"handlers": ["console"], "level": level, "propagate": False},
            # Refused requests are the callers' business; failures are ours.
            "django.request": {"level": "ERROR"},
            # Logins and refusals are recorded at any level.
            "affiliates.security": {"level": "INFO"},
            "portal.security": {"level": "INFO", "filters": ["per_minute"]},
            # affiliates.security says it, with its code.
            "django.security.csrf": {"level": "ERROR"},
            "django.security.DisallowedHost": {"filters": ["per_minute"]},
        },
    }
