"""A process that counts statistics until it is killed."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from affiliates.contrib.statistics.services import count_changes

# After whatever happens, the rows of factories too, which are of 1 March and the day before
# it. The days until today, one after the other, would be many.
COUNTED_AT = datetime(2026, 3, 4, tzinfo=UTC)


def count_on() -> None:
    while True:
        count_changes(now=lambda: COUNTED_AT)
        time.sleep(0.01)
