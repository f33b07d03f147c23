"""A process's cache of the configuration, valid until a change.

Every transaction that changes something adds a ConfigChange row about it. A process
compares the current rows with those it knew. A new row was committed since, even if
written long ago; a missing one was rolled back after it was seen, or cleared away with
many others, which leaves a row of its own.

Where there is a deadline, in a visit, a process uses what it knows if the database does
not answer in time, however old that is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID, uuid4

from django.db import router, transaction

from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.conf import conf
from affiliates.db.deadlines.aside import aside
from affiliates.db.deadlines.deadline import DatabaseAway, patience

# Far more than accumulate; beyond it, everything is loaded again.
MAX_CHANGES = 2_048
MAX_VALUES = 100_000

Key = TypeVar("Key")
Value = TypeVar("Value")


class CachedChange(NamedTuple):
    """A row of ConfigChange."""

    id: UUID
    kind: str
    subject_id: int | None = None
    token: str = ""


Changes = frozenset[CachedChange]


class ChangeLog:
    """The changes there are, as of at most ``config_refresh_seconds`` ago.

    Older ones only until a deadline that the database has missed.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._changes: Changes = frozenset()
        self._read_at = float("-inf")
        self._is_away = False

    def current(self) -> Changes:
        """Returns the same object until something changes."""
        if self._is_fresh():
            return self._changes
        if not self._lock.acquire(timeout=self.patience()):
            self._is_away = True
            return self._changes
        try:
            if not self._is_fresh():
                aside(self._read)
            self._is_away = False
        except DatabaseAway:
            self._is_away = True
        finally:
            self._lock.release()
        return self._changes

    def patience(self) -> float:
        """How long to wait for another thread that asks the database, as of a lock.

        While the database is away, a visit does not wait.
        """
        seconds = patience()
        return 0 if self._is_away and seconds > 0 else seconds

    def read(self) -> Changes:
        with self._lock:
            self._read()
            return self._changes

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_at < conf.config_refresh_seconds

    def _read(self) -> None:
        read_at = time.monotonic()
        rows = ConfigChange.objects.using(config_database()).values_list(
            *CachedChange._fields
        )
        changes = frozenset(CachedChange(*row) for row in rows[: MAX_CHANGES + 1])
        if len(changes) > MAX_CHANGES:
            changes = frozenset([CachedChange(uuid4(), ChangeKind.EVERYTHING)])
        if changes != self._changes:
            self._changes = changes
        self._read_at = read_at


@dataclass(frozen=True, slots=True)
class _Held(Generic[Key, Value]):
    """Values that were all read later than the changes that they are held with."""

    changes: Changes
    values: dict[Key, Value]


class ConfigCache(Generic[Key, Value]):
    """Values by key. ``load`` reads one, with others that are likely to be asked for;
    ``keep`` leaves out those that changes touch.

    A value whose reading began before a change was seen goes into a dictionary that
    nobody looks at after it, unless the database is away.
    """

    def __init__(
        self,
        load: Callable[[Key], Mapping[Key, Value]],
        keep: Callable[[dict[Key, Value], Collection[CachedChange]], dict[Key, Value]],
        *,
        log: ChangeLog | None = None,
    ) -> None:
        self._load = load
        self._keep = keep
        self._log = log or _log
        self._loading = Lock()
        self._held: _Held[Key, Value] = _Held(frozenset(), {})
        self._outdated: dict[Key, Value] = {}

    def get(self, key: Key) -> Value:
        """Raises DatabaseAway if there is a deadline and the value was never known."""
        try:
            return self._values(self._log.current())[key]
        except KeyError:
            pass
        try:
            return self._fill(key)
        except DatabaseAway:
            if key in self._outdated:
                return self._outdated[key]
            raise

    def _fill(self, key: Key) -> Value:
        if not self._loading.acquire(timeout=self._log.patience()):
            raise DatabaseAway("Another thread waits for the database.")
        try:
            # Another thread may have read this value meanwhile.
            values = self._values_to_fill()
            if key not in values:
                read = aside(partial(self._load, key))
                if len(values) + len(read) > MAX_VALUES:
                    values.clear()
                values.update(read)
            return values[key]
        finally:
            self._loading.release()

    def _values(self, changes: Changes) -> dict[Key, Value]:
        held = self._held
        if held.changes is not changes:
            since = changes ^ held.changes
            if any(change.kind == ChangeKind.EVERYTHING for change in since):
                values: dict[Key, Value] = {}
            else:
                values = self._keep(held.values.copy(), since)
            self._outdate(held.values)
            self._held = held = _Held(changes, values)
        return held.values

    def _outdate(self, values: dict[Key, Value]) -> None:
        outdated = self._outdated | values
        self._outdated = outdated if len(outdated) <= MAX_VALUES else values

    def _values_to_fill(self) -> dict[Key, Value]:
        """A transaction may see what others never will: a value that it reads is held
        with the changes that it sees."""
        if transaction.get_connection(config_database()).in_atomic_block:
            return self._values(aside(self._log.read))
        return self._values(self._log.current())


_log = ChangeLog()


def config_database() -> str:
    """The database for writing: a replica may lag behind."""
    return router.db_for_write(ConfigChange)


def unless_touched(
    *kinds: ChangeKind,
) -> Callable[[dict[Key, Value], Collection[CachedChange]], dict[Key, Value]]:
    """For what is read as a whole: nothing is left after a change of one of the kinds."""

    def keep(
        values: dict[Key, Value], changes: Collection[CachedChange]
    ) -> dict[Key, Value]:
        return {} if any(change.kind in kinds for change in changes) else values

    return keep
