"""``python -m tests.faults.statistics_workers``: counts statistics until it is killed.

Each line on standard input asks for one more process; its id is answered.
"""

from __future__ import annotations

import os
import signal
import sys
import time

import django


def main() -> None:
    django.setup()
    from django.utils import timezone

    from affiliates.statistics.services import count_changes

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            while True:
                count_changes(now=timezone.now)
                time.sleep(0.01)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
