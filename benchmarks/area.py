"""Walks the affiliate's area and API of a large program: CPU and queries of every page.

    python manage.py seed_load                     # into the database of DATABASE_URL
    python -m benchmarks.area --keep large.json    # a round through every page there
    python -m benchmarks.area --orders 100 --keep alike.json    # then in a small program
    python -m benchmarks.area --show alike.json --beside small.json

As ``benchmarks.desk``, seen by the affiliate with most orders and by a middle one; or by
one with so many orders, so that programs are compared and not affiliates. At the end every
URL is named that no page was measured of.
"""

from __future__ import annotations

import argparse

from benchmarks import desk_visits
from benchmarks.desk_table import Groups

MAX_CPU_MS = 100.0


def main() -> int:
    groups, status = desk_visits.measured(__doc__, "area", _walk, MAX_CPU_MS, _more)
    desk_visits.set_up()

    from benchmarks.area_pages import every_page

    desk_visits.say(
        "Not measured: "
        + ", ".join(
            f"{method} {name}"
            for method, name in every_page()
            if method != "GET" or not any(name == known for known, _ in groups)
        )
    )
    return status


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--orders",
        type=int,
        help="walk as who has most orders of those with at most so many",
    )


def _walk(groups: Groups, options: argparse.Namespace) -> None:
    desk_visits.set_up()

    from benchmarks.area_pages import walk

    walk(groups, options.only, orders=options.orders)


if __name__ == "__main__":
    raise SystemExit(main())
