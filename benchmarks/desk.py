"""Walks the admin of a large program: CPU and queries of every page.

    python manage.py seed_load                     # into the database of DATABASE_URL
    python -m benchmarks.desk --keep large.json    # a round through every page there
    python -m benchmarks.desk --show large.json --beside small.json

CPU is that of this process, in which the pages are made, and of its PostgreSQL process.
Several rounds may be kept in one file; each page then counts with its median.
"""

from __future__ import annotations

import argparse

from benchmarks.desk_table import Groups
from benchmarks.desk_visits import Visitor, measured, set_up

MAX_CPU_MS = 300.0


def main() -> int:
    _, status = measured(__doc__, "desk", _walk, MAX_CPU_MS)
    return status


def _walk(groups: Groups, options: argparse.Namespace) -> None:
    set_up()

    from django.contrib.auth import get_user_model

    from benchmarks.desk_pages import walk

    users = get_user_model().objects.filter(is_superuser=True, is_active=True)
    walk(Visitor(users.first(), groups), options.only)


if __name__ == "__main__":
    raise SystemExit(main())
