"""The commands of manage.py, each in a fork of a process that has started Django.

That takes longer than most of them. ``python -m tests.browser.console`` reads a
request a line, in JSON, and answers in JSON. E-mails are printed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, Any

from benchmarks.running import ROOT, STOP_SECONDS, ended


class Console:
    """Asks the process, from one thread."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, *command: str) -> str:
        """Returns what the command printed. Fails if the command does."""
        status, output, errors = self._ask("run", *command)
        assert status == 0, errors
        return str(output)

    def run_code(self, code: str) -> str:
        return self.run("shell", "--no-imports", "-c", code)

    @contextmanager
    def working(self, *command: str) -> Iterator[None]:
        """The command runs beside the block, and is then asked to end."""
        pid = self._ask("start", *command)
        try:
            yield
        finally:
            self._ask("stop", str(pid))

    def _ask(self, *request: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def open_console(environment: Mapping[str, str]) -> Iterator[Console]:
    process = subprocess.Popen(  # noqa: S603 - this module
        [sys.executable, "-m", "tests.browser.console"],
        cwd=ROOT,
        env={**environment, "EMAIL_URL": "consolemail://"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process, ended(process):
        yield Console(process)


def main() -> None:
    import django

    django.setup()
    for line in sys.stdin:
        act, *arguments = json.loads(line)
        answer = {"run": _run, "start": _start, "stop": _stop}[act](*arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _run(*command: str) -> tuple[int, str, str]:
    with TemporaryFile("w+") as output, TemporaryFile("w+") as errors:
        _, status = os.waitpid(_fork(command, output, errors), 0)
        output.seek(0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), output.read(), errors.read()


def _start(*command: str) -> int:
    return _fork(command, sys.stderr, sys.stderr)


def _stop(pid: str) -> None:
    os.kill(int(pid), signal.SIGTERM)
    patience = Timer(STOP_SECONDS, os.kill, (int(pid), signal.SIGKILL))
    patience.start()
    os.waitpid(int(pid), 0)
    patience.cancel()


def _fork(command: tuple[str, ...], output: IO[str], errors: IO[str]) -> int:
    from django.core.management import execute_from_command_line

    if pid := os.fork():
        return pid
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    status = 1
    try:
        execute_from_command_line(["manage.py", *command])
        status = 0
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:  # noqa: BLE001 - printed, as an interpreter does
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
