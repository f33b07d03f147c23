"""What clients did and were answered: invoke, then ok, fail or unknown."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from threading import Lock


class Act(StrEnum):
    """``key`` of a visit is its mark, of an order its client, of a payment its invoice."""

    VISIT = "visit"
    ORDER = "order"
    PAYMENT = "payment"


class Event(StrEnum):
    """OK is a promise: it is stored. FAIL is one too: it is not. UNKNOWN is neither.

    What is sent again under its key is one act, with as many answers as it took.
    """

    INVOKE = "invoke"
    OK = "ok"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """``seconds`` is how long the answer took; ``is_redirected`` is a visitor's fate."""

    fault: str
    act: Act
    key: str
    event: Event
    at: float
    status: int = 0
    seconds: float = 0.0
    is_redirected: bool = False
    number: str = ""


class History:
    """Of one fault. Each row is in ``path`` before the next act begins."""

    def __init__(self, fault: str, path: Path) -> None:
        self._fault = fault
        self._lock = Lock()
        self._rows: list[HistoryRow] = []
        self._path = path

    def rows(self) -> Sequence[HistoryRow]:
        with self._lock:
            return list(self._rows)

    def add(
        self,
        act: Act,
        key: str,
        event: Event,
        *,
        status: int = 0,
        seconds: float = 0.0,
        is_redirected: bool = False,
        number: str = "",
    ) -> None:
        row = HistoryRow(
            fault=self._fault,
            act=act,
            key=key,
            event=event,
            at=time.time(),
            status=status,
            seconds=seconds,
            is_redirected=is_redirected,
            number=number,
        )
        with self._lock:
            self._rows.append(row)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
