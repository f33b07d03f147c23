"""``python -m tests.faults.forks COMMAND``: makes processes as fast as they are killed.

Each line on standard input asks for one; its process id is answered. They end with
this process's group or by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
from io import StringIO

import django


def main() -> None:
    django.setup()
    from django.core.management import call_command

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            sys.stdin.close()
            call_command(sys.argv[1], stdout=StringIO())
            os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
