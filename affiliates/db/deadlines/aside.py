"""Asks the database in another thread, so that a visit can go on without the answer.

Connecting cannot be given up in the middle, nor can other drivers' statements: a thread
that is stuck in one is left behind until it ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from django.db import (
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    OperationalError,
    close_old_connections,
    connections,
)

from affiliates.db.deadlines.deadline import (
    DatabaseAway,
    is_over,
    patience,
    seconds_left,
)

MAX_THREADS = 4
IDLE_SECONDS = 5.0
# After silence, nobody asks again for so long. A refusal costs no time.
PAUSE_SECONDS = 1.0

Result = TypeVar("Result")


def aside(ask: Callable[[], Result]) -> Result:
    """The result of ``ask``, which reads or writes the database.

    Raises DatabaseAway if it is not there by the deadline; ``ask`` may yet succeed.
    Without a deadline it is called as it is. Inside a transaction it is called in this
    thread: no other sees the transaction's rows.
    """
    if seconds_left() is None:
        return ask()
    try:
        if any(
            connection.in_atomic_block
            for connection in connections.all(initialized_only=True)
        ):
            return ask()
        return _threads.ask(ask)
    except (DataError, IntegrityError):
        raise
    except Error as error:
        raise DatabaseAway("The database cannot answer.") from error


def close_aside() -> None:
    """Ends the threads that have nothing to do, with their connections."""
    _threads.close()


class _Question:
    __slots__ = ("answer", "ask", "context", "error", "is_answered", "is_late")

    def __init__(self, ask: Callable[[], Any]) -> None:
        self.ask = ask
        self.context = copy_context()
        self.answer: Any = None
        self.error: Exception | None = None
        # Not answered by the deadline.
        self.is_late = False
        self.is_answered = Lock()
        self.is_answered.acquire()


class _Threads:
    """At most MAX_THREADS, which end when they have had nothing to do for a while."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        self._count = 0
        self._idle = 0
        self._asked = 0
        self._is_away = False
        self._paused_until = float("-inf")

    def ask(self, ask: Callable[[], Result]) -> Result:
        question = _Question(ask)
        with self._lock:
            if is_over() or (self._is_away and not self._may_try()):
                raise DatabaseAway("The database did not answer a moment ago.")
            self._asked += 1
            self._questions.put(question)
            if self._questions.qsize() > self._idle and self._count < MAX_THREADS:
                self._count += 1
                Thread(target=self._work, daemon=True).start()
        if not question.is_answered.acquire(timeout=patience()):
            self._give_up(question)
        if question.error is not None:
            raise question.error
        result: Result = question.answer
        return result

    def close(self) -> None:
        with self._lock:
            for _ in range(self._count):
                self._questions.put(None)

    def _may_try(self) -> bool:
        """While the database is away, one question at a time finds out about it."""
        return not self._asked and monotonic() >= self._paused_until

    def _give_up(self, question: _Question) -> None:
        with self._lock:
            if question.is_answered.acquire(blocking=False):
                return
            question.is_late = self._is_away = True
        raise DatabaseAway("The database did not answer in time.")

    def _work(self) -> None:
        while (question := self._next()) is not None:
            if not question.is_late:
                question.context.run(_answer, question)
                close_old_connections()
            self._finish(question)
        connections.close_all()

    def _next(self) -> _Question | None:
        with self._lock:
            self._idle += 1
        question = None
        with suppress(Empty):
            question = self._questions.get(timeout=IDLE_SECONDS)
        with self._lock:
            self._idle -= 1
            if question is None:
                with suppress(Empty):
                    question = self._questions.get_nowait()
            if question is None:
                self._count -= 1
        return question

    def _finish(self, question: _Question) -> None:
        with self._lock:
            self._asked -= 1
            self._is_away = question.is_late
            if self._is_away:
                self._paused_until = monotonic() + PAUSE_SECONDS
            question.is_answered.release()


def _answer(question: _Question) -> None:
    try:
        try:
            question.answer = question.ask()
        except (OperationalError, InterfaceError):
            # A kept connection may have been closed by the server meanwhile.
            connections.close_all()
            if is_over():
                raise
            question.answer = question.ask()
    except Exception as error:  # noqa: BLE001 - raised again where the question came from
        question.error = error
        question.is_late = is_over()


_threads = _Threads()


def _begin_anew() -> None:
    global _threads
    _threads = _Threads()


# A child process has none of its parent's threads.
os.register_at_fork(after_in_child=_begin_anew)
