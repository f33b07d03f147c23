"""Identifiers: unguessable, and time-ordered where rows are many."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from uuid import UUID

import uuid_utils.compat

LINK_HASH_LENGTH = 40
CODE_LENGTH = 8
# Without 0/o, 1/l/i: codes are read aloud and typed.
CODE_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


def new_id() -> UUID:
    """A UUIDv7: unique everywhere and ordered by creation time."""
    return uuid_utils.compat.uuid7()


def first_id_of(moment: datetime) -> UUID:
    """The lowest possible id made at this moment or later."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def moment_of(id_: UUID) -> datetime:
    """When this UUIDv7 was made. Raises ValueError after the year 9999."""
    return datetime.fromtimestamp((id_.int >> 80) / 1000, UTC)


def new_link_hash() -> str:
    """40 lower-case hexadecimal characters of randomness."""
    return secrets.token_hex(LINK_HASH_LENGTH // 2)


def new_affiliate_code() -> str:
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
