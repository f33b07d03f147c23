"""Settings of passwords."""

from __future__ import annotations

from typing import Any

OF_DJANGO = "django.contrib.auth.password_validation"


def password_settings(breached_file: str) -> dict[str, Any]:
    validators: list[dict[str, Any]] = [
        {
            "NAME": f"{OF_DJANGO}.UserAttributeSimilarityValidator",
            "OPTIONS": {"user_attributes": ("email", "firstname", "lastname")},
        },
        {"NAME": f"{OF_DJANGO}.MinimumLengthValidator"},
        {"NAME": "portal.clients.validators.MaximumLengthValidator"},
        {"NAME": f"{OF_DJANGO}.CommonPasswordValidator"},
        {"NAME": "portal.clients.validators.SiteWordsValidator"},
    ]
    if breached_file:
        validators.append(
            {
                "NAME": f"{OF_DJANGO}.CommonPasswordValidator",
                "OPTIONS": {"password_list_path": breached_file},
            }
        )
    return {
        "AUTH_PASSWORD_VALIDATORS": validators,
        "PASSWORD_HASHERS": [
            "portal.clients.hashers.ModerateArgon2PasswordHasher",
            "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        ],
    }
