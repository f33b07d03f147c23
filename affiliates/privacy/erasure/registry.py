"""Further actions when a person is erased: apps register their own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol


class OnErasure(Protocol):
    """Called in the transaction of the erasure. Returns how many rows it changed."""

    def __call__(self, *, now: datetime) -> int: ...


_registered: dict[str, OnErasure] = {}


def on_erasure(table: str, act: OnErasure) -> None:
    """``table`` is the label of the model whose rows it changes."""
    _registered[table] = act


def registered() -> Iterator[tuple[str, OnErasure]]:
    yield from _registered.items()
