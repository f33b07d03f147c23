"""The time that a story has come to, and ids that are of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import uuid_utils.compat

_VERSION, _VARIANT = 7 << 76, 2 << 62


@dataclass(kw_only=True)
class StoryClock:
    now: datetime
    dice: random.Random

    def new_id(self) -> UUID:
        """A UUIDv7 of the story's time, the same in every run."""
        moment = int(self.now.timestamp() * 1000) << 80
        low = self.dice.getrandbits(62) | _VARIANT
        return UUID(int=moment | _VERSION | self.dice.getrandbits(12) << 64 | low)


@contextmanager
def ids_of(clock: StoryClock) -> Iterator[None]:
    """Lists order and limit rows by the time in their ids, which is the process's."""
    original = uuid_utils.compat.uuid7
    uuid_utils.compat.uuid7 = lambda *_: clock.new_id()
    try:
        yield
    finally:
        uuid_utils.compat.uuid7 = original
