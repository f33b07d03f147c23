"""Several conversations at a time; the thread that begins them collects their ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from time import monotonic
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")

# Answers that come within this time of another are recorded in one transaction with it.
LINGER_SECONDS = 0.01


class Calls(Generic[T]):
    """At most ``most`` at a time, each in a thread; one at a time needs no thread.

    The threads do nothing but talk to the provider: none has a database connection.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self._ended: SimpleQueue[Future[T]] = SimpleQueue()
        self._pool = ThreadPoolExecutor(most, "call") if most > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def begin(self, act: Callable[[], T]) -> None:
        self.count += 1
        if self._pool is None:
            future: Future[T] = Future()
            future.set_result(act())
            self._ended.put(future)
        else:
            self._pool.submit(act).add_done_callback(self._ended.put)

    def collect(self, *, seconds: float) -> list[T]:
        """The results of those that ended; waits ``seconds`` for the first of them."""
        futures: list[Future[T]] = []
        until = monotonic() + seconds
        while len(futures) < self.count:
            try:
                futures.append(self._ended.get(timeout=max(until - monotonic(), 0)))
            except Empty:
                break
            if len(futures) == 1:
                until = monotonic() + LINGER_SECONDS
        self.count -= len(futures)
        return [future.result() for future in futures]
