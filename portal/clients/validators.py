"""The longest password: one rule for registration, login, reset and the admin."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# Bounds the work of hashing.
MAX_PASSWORD_LENGTH = 128


class MaximumLengthValidator:
    """Refuses what the login would not take."""

    def validate(self, password: str, user: Any = None) -> None:
        if len(password) > MAX_PASSWORD_LENGTH:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        return _("Your password can have at most 128 characters.")
