"""``python -m tests.faults.statistics_workers``: counts statistics until it is killed.

Each line on standard input asks for one more process; its id is answered.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import UTC, datetime

import django

# After whatever happens, the rows of factories too, which are of 1 March and the day before
# it. The days until today, one after the other, would be many.
COUNTED_AT = datetime(2026, 3, 4, tzinfo=UTC)


def main() -> None:
    django.setup()
    from affiliates.contrib.statistics.services import count_changes

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            while True:
                count_changes(now=lambda: COUNTED_AT)
                time.sleep(0.01)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
