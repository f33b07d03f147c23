#!/usr/bin/env python
"""Django's command line. Its first run in a fresh clone writes a development .env."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from portal.environment import write_development_environment

SETTINGS = "portal.settings"
# A command may take long: only its waiting for locks is limited, as a request's is.
LIFTED_TIMEOUTS = ("DATABASE_STATEMENT_TIMEOUT", "DATABASE_IDLE_TIMEOUT")


def main() -> None:
    settings = os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    env_file = Path(__file__).resolve().parent / ".env"
    if settings == SETTINGS and "SECRET_KEY" not in os.environ:
        write_environment(env_file)
    for name in LIFTED_TIMEOUTS:
        os.environ.setdefault(name, "0")
    execute_from_command_line(sys.argv)


def write_environment(env_file: Path) -> None:
    # Not on standard output: commands print their answer there.
    if write_development_environment(env_file):
        sys.stderr.write(f"Wrote {env_file.name} with new secrets for development.\n")


if __name__ == "__main__":
    main()
