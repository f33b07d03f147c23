"""Runs a module in a process with a host's settings; its output, once it ended well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str, settings: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


def run_tests(*options: str, settings: str) -> str:
    return run(
        "pytest", "-q", "-n", "0", f"--ds={settings}", *options, settings=settings
    )
