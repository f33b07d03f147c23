"""The calls that this process counts, in memory."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

MAX_CALLERS = 100_000


class OwnCount:
    """A caller's calls in one window; ``others``: those of other processes, as known."""

    __slots__ = ("calls", "others", "window")

    def __init__(self, window: float) -> None:
        self.window = window
        self.calls = 0
        self.others = 0


class OwnCounts:
    """One for each of the MAX_CALLERS that called last, of its latest window."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: OrderedDict[str, OwnCount] = OrderedDict()

    def add(self, caller: str, window: float) -> tuple[OwnCount, int]:
        """Counts a call. Returns the count and its calls with this one."""
        with self._lock:
            count = self._counts.get(caller)
            if count is None or count.window != window:
                count = self._counts[caller] = OwnCount(window)
                if len(self._counts) > MAX_CALLERS:
                    self._counts.popitem(last=False)
            self._counts.move_to_end(caller)
            count.calls += 1
            return count, count.calls

    def learn(self, count: OwnCount, *, total: int, step: int) -> None:
        """``total`` are all processes' calls, each counted up to its last whole step."""
        with self._lock:
            # Other threads of this process may have added their steps meanwhile.
            added = count.calls // step * step
            count.others = max(count.others, total - added)

    def clear(self) -> None:
        with self._lock:
            self._counts.clear()
