#!/usr/bin/env python
"""Django's command line. Its first run in a fresh clone writes a development .env."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from portal.environment import development_environment, write_development_environment

SETTINGS = "portal.settings"
# A command may take long: only its waiting for locks is limited, as a request's is.
LIFTED_TIMEOUTS = ("DATABASE_STATEMENT_TIMEOUT", "DATABASE_IDLE_TIMEOUT")
SHOW_HELP = {"-h", "--help", "help", "--version", "version"}


def main() -> None:
    settings = os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    if settings == SETTINGS and "SECRET_KEY" not in os.environ:
        provide_environment(Path(__file__).resolve().parent / ".env")
    for name in LIFTED_TIMEOUTS:
        os.environ.setdefault(name, "0")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        if "--traceback" in sys.argv:
            raise
        raise SystemExit(f"{type(fault).__name__}: {fault}") from None


def provide_environment(env_file: Path) -> None:
    if len(sys.argv) == 1 or SHOW_HELP.intersection(sys.argv):
        # Whoever asks what a command does gets no secrets written.
        if not env_file.exists():
            os.environ |= development_environment()
    elif write_development_environment(env_file):
        # Not on standard output: commands print their answer there.
        sys.stderr.write(f"Wrote {env_file.name} with new secrets for development.\n")


if __name__ == "__main__":
    main()
