"""How far a long run has come."""

from __future__ import annotations

from typing import Any

BAR_WIDTH = 30
# A terminal is not written to for every row: that would cost more than the row.
STEP = 100


class Progress:
    """A bar on a terminal, nothing elsewhere."""

    def __init__(self, stream: Any, name: str, total: int) -> None:
        self._stream, self._name, self._total = stream, name, total
        self._is_shown = stream.isatty() and total > 0
        self._shown = 0

    def show(self, done: int) -> None:
        if self._is_shown and (done - self._shown >= STEP or done >= self._total):
            self._shown = done
            share = min(done / self._total, 1)
            bar = ("#" * round(BAR_WIDTH * share)).ljust(BAR_WIDTH, ".")
            text = f"\r{self._name} [{bar}] {done:,} of {self._total:,}"
            self._stream.write(text, ending="")
            self._stream.flush()

    def clear(self) -> None:
        if self._is_shown:
            self._stream.write("\r\x1b[K", ending="")
            self._stream.flush()
