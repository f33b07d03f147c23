"""Terms stored as numbered versions, each in force from a given moment."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import Any


class VersionedTerms(ABC):
    """Terms, of which each version stores the JSON and the digest."""

    __slots__ = ()

    @abstractmethod
    def to_json(self) -> dict[str, Any]: ...

    @property
    def digest(self) -> str:
        return digest_of(self.to_json())


def digest_of(stored: Mapping[str, Any]) -> str:
    """The digest: equal for equal terms only."""
    text = json.dumps(stored, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def publish(
    versions: Any, terms: VersionedTerms, *, now: datetime, **others: Any
) -> Any:
    """The owner's latest version if its terms are the same, else a new one.

    Call it in the transaction that saved the owner, with the owner's row locked.
    """
    said = {"digest": terms.digest, **others}
    latest = versions.order_by("-number").first()
    if latest is not None and all(getattr(latest, name) == said[name] for name in said):
        return latest
    return versions.create(
        number=1 if latest is None else latest.number + 1,
        # If a clock went back, the newer version must still come after the older.
        effective_from=now if latest is None else max(now, latest.effective_from),
        terms=terms.to_json(),
        **said,
    )
