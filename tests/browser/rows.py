"""Rows that the tests of the desk put beside a demonstration which runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import django


def fill_beside(environment: dict[str, str], module: str) -> int:
    """The id of the brand that ``module`` makes, in the database of a server."""
    done = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", f"tests.browser.{module}"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def main(fill: Callable[[], int]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    print(fill())  # noqa: T201 - what the test reads
