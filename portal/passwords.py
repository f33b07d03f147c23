"""Which passwords are refused: docs/security-logins.md#rules-for-passwords."""

from __future__ import annotations

from typing import Any

DJANGO = "django.contrib.auth.password_validation"
NAMES = ("email", "firstname", "lastname")


def password_validators(breached_file: str) -> list[dict[str, Any]]:
    """Django's AUTH_PASSWORD_VALIDATORS. ``breached_file`` may be empty."""
    validators: list[dict[str, Any]] = [
        {
            "NAME": f"{DJANGO}.UserAttributeSimilarityValidator",
            "OPTIONS": {"user_attributes": NAMES},
        },
        {"NAME": f"{DJANGO}.MinimumLengthValidator"},
        {"NAME": "portal.clients.validators.MaximumLengthValidator"},
        {"NAME": f"{DJANGO}.CommonPasswordValidator"},
        {"NAME": "portal.clients.validators.SiteWordsValidator"},
    ]
    if breached_file:
        validators.append(
            {
                "NAME": f"{DJANGO}.CommonPasswordValidator",
                "OPTIONS": {"password_list_path": breached_file},
            }
        )
    return validators
