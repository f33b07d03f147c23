"""How long random tests and faults go on: briefly each time, longer by `make test-long`."""

from __future__ import annotations

import os

IS_LONG = os.environ.get("LONG_TESTS") == "on"


def times(short: int, *, long: int) -> int:
    return long if IS_LONG else short
