"""Columns with a visitor's address or network: encrypted in the database.

Code reads and writes plain addresses. The same address has the same token, so the
database can compare. After some days retention replaces it by a hash or by nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from django.db import models

from affiliates.conf import conf
from affiliates.core.addresses import MAX_CACHED, pack, unpack
from affiliates.core.secrets.encryption import fingerprints, seal_alike, unseal_alike
from affiliates.core.secrets.sealing import KeyRing

# No address is stored for longer.
ADDRESS_KEPT = timedelta(days=7)
# How stored texts begin.
SEALED, HASHED = "s:", "h:"
HASH_LENGTH = 40

_SALT = b"affiliates.address.v1"


def seal_address(text: str) -> str:
    """The token to store; text that is no address is not stored."""
    if not text or text.startswith((SEALED, HASHED)):
        return text
    return _token_of(text, conf.secret_keys)


def open_address(stored: str) -> str:
    """The address; of an old row its hash, and "" if the key is missing."""
    if not stored.startswith(SEALED):
        return stored
    packed = unseal_alike(stored.removeprefix(SEALED), conf.secret_keys, salt=_SALT)
    return unpack(packed) if packed else ""


@lru_cache(maxsize=MAX_CACHED)
def _token_of(text: str, ring: KeyRing) -> str:
    try:
        packed = pack(text)
    except ValueError:
        return ""
    return SEALED + seal_alike(packed, ring, salt=_SALT)


def hash_address(text: str, day: date) -> str:
    """The same for the same address on the same day, and for no other."""
    if not text or text.startswith(HASHED):
        return text
    salt = _SALT + day.isoformat().encode()
    digest = fingerprints(text, conf.secret_keys, purpose=salt)[0]
    return HASHED + digest[:HASH_LENGTH]


class AddressField(models.CharField):  # type: ignore[type-arg]  # not generic when run
    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """A plain column: migrations need not know what it holds."""
        name, _, args, options = super().deconstruct()
        return name or "", "django.db.models.CharField", args, options

    def get_prep_value(self, value: Any) -> Any:
        text = super().get_prep_value(value)
        return text if text is None else seal_address(text)

    def from_db_value(self, value: Any, *_: Any) -> Any:
        return value if value is None else open_address(value)


class PayloadField(models.JSONField):
    """A JSON object whose ``ip`` is an address."""

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Describes a plain column, as ``AddressField.deconstruct`` does."""
        name, _, args, options = super().deconstruct()
        return name or "", "django.db.models.JSONField", args, options

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(_with_ip(value, seal_address))

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        value_read = super().from_db_value(value, expression, connection)
        return _with_ip(value_read, open_address)


def _with_ip(payload: Any, change: Callable[[str], str]) -> Any:
    if not (isinstance(payload, dict) and payload.get("ip")):
        return payload
    return {**payload, "ip": change(str(payload["ip"]))}
