"""Identifiers: unguessable, and time-ordered where rows are many."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime
from uuid import UUID

import uuid_utils.compat

LINK_HASH_LENGTH = 40
CODE_LENGTH = 8
# Without 0/o, 1/l/i: codes are read aloud and typed.
CODE_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
# A version of UUID that no other id here has.
ERASED_VERSION = 8
# It is stored nowhere.
_ERASING_KEY = secrets.token_bytes(32)


def new_id() -> UUID:
    """A UUIDv7: unique everywhere and ordered by creation time."""
    return uuid_utils.compat.uuid7()


def first_id_of(moment: datetime) -> UUID:
    """The lowest possible id made at this moment or later."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def moment_of(id_: UUID) -> datetime:
    """When this UUIDv7 was made. Raises ValueError after the year 9999."""
    return datetime.fromtimestamp((id_.int >> 80) / 1000, UTC)


def erased_id(id_: UUID | None) -> UUID | None:
    """An id that leads back to nobody, in place of a person's. Twice is as once.

    Within one process it is the same for the same id, so that counts stay as they are.
    """
    if id_ is None or id_.version == ERASED_VERSION:
        return id_
    digest = hashlib.blake2b(id_.bytes, key=_ERASING_KEY, digest_size=16).hexdigest()
    return UUID(f"{digest[:12]}{ERASED_VERSION}{digest[13:16]}8{digest[17:]}")


def new_link_hash() -> str:
    """40 lower-case hexadecimal characters of randomness."""
    return secrets.token_hex(LINK_HASH_LENGTH // 2)


def new_affiliate_code() -> str:
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
