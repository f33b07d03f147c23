"""The credentials of payout accounts: encrypted, read only when a call is made."""

from __future__ import annotations

import json
from collections.abc import Mapping

from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column
from affiliates.errors import StateConflict

_CREDENTIALS = Purpose(b"affiliates.payout_account_secrets.v1")

register_column("affiliates.PayoutAccount", "secrets", purpose=_CREDENTIALS)


def encrypt(secrets: Mapping[str, str]) -> str:
    """The credentials as one token, "" for none."""
    if not secrets:
        return ""
    return _CREDENTIALS.encrypt(json.dumps(dict(secrets), sort_keys=True).encode())


def decrypt(token: str) -> dict[str, str]:
    """Raises StateConflict if the key that encrypted them is missing."""
    if not token:
        return {}
    try:
        secrets: dict[str, str] = json.loads(_CREDENTIALS.decrypt(token))
    except SecretUnreadable:
        raise StateConflict(
            "secrets_unreadable",
            "The stored credentials cannot be read with the keys of this server. Enter "
            "them again in the form of the account.",
        ) from None
    return secrets
