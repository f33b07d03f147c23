"""A request with an Idempotency-Key, and the answer that its repeats get."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedRequest:
    key: str
    brand_id: int | None
    endpoint: str
    caller_id: str
    """Of the person signed in; empty if nobody is."""
    method: str
    address: str
    body: Any = field(repr=False)
    credentials: str = field(repr=False)
    """The Authorization header."""

    @property
    def scope(self) -> str:
        """The same for every request that this key belongs to."""
        return _digest(self.brand_id, self.endpoint, self.caller_id, self.key)

    @property
    def fingerprint(self) -> str:
        """The same for repeats of this request only."""
        return _digest(self.method, self.address, self.body)

    @property
    def credentials_digest(self) -> str:
        return _digest(self.credentials)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    status: int
    data: Any
    headers: dict[str, str]
    cookies: list[str]
    """Each as in a Set-Cookie header."""


def _digest(*parts: Any) -> str:
    # As JSON values: white space and the order of fields are no difference.
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
