"""A provider's stored credentials: encrypted, read only when a call is made."""

from __future__ import annotations

import json
from collections.abc import Mapping

from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column

_CREDENTIALS = Purpose(b"affiliates.integration_secrets.v1")

register_column("affiliates.TrackingIntegration", "secrets", purpose=_CREDENTIALS)


class SecretsUnreadable(Exception):
    """The key that encrypted these credentials is gone; they must be entered again."""


def encrypt(secrets: Mapping[str, str]) -> str:
    """The credentials as one token, "" for none."""
    if not secrets:
        return ""
    text = json.dumps(dict(secrets), sort_keys=True)
    return _CREDENTIALS.encrypt(text.encode())


def decrypt(token: str) -> dict[str, str]:
    """The credentials in the token. Raises SecretsUnreadable."""
    if not token:
        return {}
    try:
        text = _CREDENTIALS.decrypt(token)
    except SecretUnreadable:
        raise SecretsUnreadable(
            "The stored credentials cannot be read with the keys of this server. "
            "Enter them again in the integration's form."
        ) from None
    secrets: dict[str, str] = json.loads(text)
    return secrets
