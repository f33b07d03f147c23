"""Rules for passwords: the same for registration, login, reset and the admin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# Bounds the work of hashing.
MAX_PASSWORD_LENGTH = 128
# Guessed first at a site of this kind, beside the names and domains of its brands.
PRODUCT_WORDS = ("affiliate", "commission", "partner", "payout", "portal", "referral")
MIN_WORD_LENGTH = 4


class MaximumLengthValidator:
    """Refuses what the login would not take."""

    def validate(self, password: str, user: Any = None) -> None:
        if len(password) > MAX_PASSWORD_LENGTH:
            raise ValidationError(self.get_help_text(), code="password_too_long")

    def get_help_text(self) -> str:
        return _("Your password can have at most 128 characters.")


class SiteWordsValidator:
    """Refuses a password of which words of the site make up half or more."""

    def validate(self, password: str, user: Any = None) -> None:
        rest = whole = _plain(password)
        for word in sorted(_site_words(), key=len, reverse=True):
            rest = rest.replace(word, "")
        if whole and 2 * len(rest) <= len(whole):
            raise ValidationError(
                _(
                    "This password is little more than a word of this site, such as "
                    "its name. Add words of your own."
                ),
                code="password_of_site_words",
            )

    def get_help_text(self) -> str:
        return _("Your password may not be mainly a word of this site.")


def _site_words() -> set[str]:
    brands = apps.get_model("affiliates.Brand").objects
    names = brands.values_list("name", "domains__host")
    parts = {part for row in names for name in row for part in _parts(name or "")}
    return parts | set(PRODUCT_WORDS)


def _parts(name: str) -> Iterator[str]:
    """The name, and each of its words that is not too short to say anything."""
    for part in (name, *re.split(r"[\W_]+", name)):
        if len(word := _plain(part)) >= MIN_WORD_LENGTH:
            yield word


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
