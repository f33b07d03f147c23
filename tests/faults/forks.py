"""``python -m tests.faults.forks WORK``: makes processes as fast as they are killed.

WORK is a command of manage.py, or a function as ``module:name``. Each line on standard
input asks for a process; its id is answered. They end with this process's group or by
SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from io import StringIO

import django


def main() -> None:
    django.setup()
    from django.core.management import call_command

    module, _, function = sys.argv[1].partition(":")
    work = getattr(import_module(module), function) if function else None
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            sys.stdin.close()
            if work is None:
                call_command(module, stdout=StringIO())
            else:
                work()
            os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
