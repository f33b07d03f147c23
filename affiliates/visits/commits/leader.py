"""Shares statements and commits among the threads that write clicks at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from django.db import InterfaceError, OperationalError

from affiliates.db.deadlines.deadline import DatabaseAway, patience
from affiliates.visits.commits.table import ClickTable
from affiliates.visits.rules import ClickRow, DeliveryRow

MAX_WAITING = 500
MAX_BATCH = 32


class ClickStoreUnavailable(Exception):
    """The click cannot be stored at the moment; the same visit may be sent again."""


class CommitLeader:
    """Lets threads that write at the same time share statements and commits.

    At most one thread leads. It writes the waiting rows, its own first, and hands the
    lead to the first thread that came meanwhile. It has no thread or timer of its own:
    an idle leader costs nothing and delays nobody.

    After a deadline has passed, nobody waits for the leader until a write succeeds.
    """

    def __init__(self, table: ClickTable) -> None:
        self._table = table
        self._lock = Lock()
        self._waiting: list[_Pending] = []
        self._is_led = False
        self._is_stuck = False

    def write(self, row: ClickRow, delivery: DeliveryRow | None = None) -> None:
        """Returns when the row is committed; raises the error that prevented it."""
        pending = _Pending(row, delivery)
        if not self._join(pending):
            self._await_turn(pending)
        if not pending.is_settled:
            self._lead(pending)
        if pending.error is not None:
            raise pending.error

    def close(self) -> None:
        self._table.close()

    def _join(self, pending: _Pending) -> bool:
        """Whether the new row's thread leads."""
        with self._lock:
            if self._is_stuck and self._is_led:
                raise ClickStoreUnavailable("The database did not answer a moment ago.")
            if len(self._waiting) >= MAX_WAITING:
                raise ClickStoreUnavailable("Too many clicks are waiting.")
            self._waiting.append(pending)
            leads = not self._is_led
            self._is_led = True
            return leads

    def _await_turn(self, pending: _Pending) -> None:
        """Raises ClickStoreUnavailable at the deadline."""
        is_turn = False
        try:
            is_turn = pending.turn.acquire(timeout=patience())
        finally:
            if not is_turn:
                self._leave(pending)
        if not is_turn:
            raise ClickStoreUnavailable("The click was not written in time.")

    def _leave(self, pending: _Pending) -> None:
        with self._lock:
            pending.has_left = True
            if pending in self._waiting:
                self._waiting.remove(pending)
            is_heir = pending.is_heir
        if is_heir:
            self._hand_over([])

    def _lead(self, own: _Pending) -> None:
        with self._lock:
            batch = self._waiting[:MAX_BATCH]
            del self._waiting[:MAX_BATCH]
        try:
            self._write(batch)
        finally:
            # A thread that is being ended leaves rows behind, or one whose deadline has
            # passed. Another may write them again: a committed id is skipped.
            self._hand_over(
                [visit for visit in batch if not visit.is_settled and visit is not own]
            )
            for visit in batch:
                if visit.is_settled:
                    visit.turn.release()

    def _write(self, batch: Sequence[_Pending]) -> None:
        try:
            self._table.insert(
                [visit.row for visit in batch],
                [visit.delivery for visit in batch if visit.delivery is not None],
            )
        except DatabaseAway as error:
            self._is_stuck = True
            # The leader's own: others may have more time left.
            batch[0].settle(error)
        except (OperationalError, InterfaceError) as error:
            for visit in batch:
                visit.settle(error)
        except Exception as error:  # noqa: BLE001 - raised again where the row came from
            if len(batch) == 1:
                batch[0].settle(error)
                return
            for visit in batch:
                self._write([visit])
        else:
            self._is_stuck = False
            for visit in batch:
                visit.settle(None)

    def _hand_over(self, left_behind: Sequence[_Pending]) -> None:
        with self._lock:
            self._waiting[:0] = [visit for visit in left_behind if not visit.has_left]
            self._is_led = bool(self._waiting)
            if self._waiting:
                self._waiting[0].is_heir = True
                self._waiting[0].turn.release()


class _Pending:
    """A row to be written, and the lock on which its thread waits for the leader."""

    __slots__ = (
        "delivery", "error", "has_left", "is_heir", "is_settled", "row", "turn",
    )  # fmt: skip

    def __init__(self, row: ClickRow, delivery: DeliveryRow | None = None) -> None:
        self.row = row
        self.delivery = delivery
        self.error: Exception | None = None
        self.is_settled = False
        self.is_heir = False
        # Its thread waits no longer.
        self.has_left = False
        self.turn = Lock()
        self.turn.acquire()

    def settle(self, error: Exception | None) -> None:
        self.error = error
        self.is_settled = True
