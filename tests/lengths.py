"""How long random tests and faults go on: briefly each time, longer by `make test-long`."""

from __future__ import annotations

import os
from typing import TypeVar

Length = TypeVar("Length")

IS_LONG = os.environ.get("LONG_TESTS") == "on"


def times(short: Length, *, long: Length) -> Length:
    return long if IS_LONG else short
