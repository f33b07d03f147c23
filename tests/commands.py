"""Runs many commands of manage.py in one process: each process costs a second.

``python -m tests.commands "migrate auth" ...``; with ``--answers`` first it goes on
after an error, and prints the output and the error of each command as JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
from io import StringIO

import django
from django.core.management import (
    CommandError,
    call_command,
    execute_from_command_line,
)


def main(*commands: str) -> None:
    for command in commands:
        # A command before may have written a module.
        importlib.invalidate_caches()
        execute_from_command_line(["manage.py", *command.split()])


def answers(*commands: str) -> list[tuple[str, str]]:
    return [_answer(command) for command in commands]


def _answer(command: str) -> tuple[str, str]:
    said = StringIO()
    try:
        call_command(*command.split(), stdout=said)
    except CommandError as error:
        return said.getvalue(), str(error)
    return said.getvalue(), ""


if __name__ == "__main__":
    django.setup()
    if sys.argv[1] == "--answers":
        print(json.dumps(answers(*sys.argv[2:])))  # noqa: T201
    else:
        main(*sys.argv[1:])
