"""The details of destinations and the files that pay to them: encrypted at rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from affiliates.conf import conf
from affiliates.core.secrets.encryption import fingerprints
from affiliates.encrypted.columns import Purpose, register_column
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.registry import PROVIDERS

ACCOUNTS = Purpose(b"affiliates.payout_details.v1")


def fingerprint_of(kind: str, details: Mapping[str, str]) -> str:
    """Identifies an account independently of the affiliate; "" if there is none."""
    return fingerprints_of(kind, details)[0]


def fingerprints_of(kind: str, details: Mapping[str, str]) -> list[str]:
    """By each key, the first key's first: rows may not all be encrypted anew yet."""
    account = PROVIDERS[kind].account(details) if kind in PROVIDERS else ""
    if not account:
        return [""]
    return fingerprints(f"{kind}:{account}", conf.secret_keys, purpose=ACCOUNTS.name)


def encrypt(text: str) -> str:
    return ACCOUNTS.encrypt(text.encode())


def decrypt(token: str) -> str:
    """Raises SecretUnreadable."""
    return ACCOUNTS.decrypt(token).decode()


def transfers_text(transfers: Sequence[Transfer]) -> str:
    """What a batch that is sent stores instead of a file."""
    return json.dumps([asdict(transfer) for transfer in transfers], sort_keys=True)


def open_transfers(token: str) -> list[Transfer]:
    """Raises SecretUnreadable."""
    return [Transfer(**values) for values in json.loads(decrypt(token))]


def _fingerprint(destination: Any, content: bytes) -> dict[str, str]:
    return {"fingerprint": fingerprint_of(destination.kind, json.loads(content))}


register_column("affiliates.PayoutBatch", "content", purpose=ACCOUNTS)
register_column(
    "affiliates.PayoutDestination", "details", purpose=ACCOUNTS, derive=_fingerprint
)
