"""An HTTP answer as data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int = 200
    headers: Headers = ()
    body: bytes = b""


def json_answer(value: Any, *, status: int = 200) -> Answer:
    return Answer(
        status=status,
        headers=(("Content-Type", "application/json"),),
        body=json.dumps(value).encode(),
    )
