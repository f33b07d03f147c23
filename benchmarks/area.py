"""Walks the affiliate's area and API of a large program: CPU and queries of every page.

    python manage.py seed_load                     # into the database of DATABASE_URL
    python -m benchmarks.area --keep large.json    # a round through every page there
    python -m benchmarks.area --show large.json --beside small.json

As ``benchmarks.desk``, seen by the affiliate with most orders and by a middle one. At the
end every URL is named that no page was measured of.
"""

from __future__ import annotations

from benchmarks import desk
from benchmarks.desk_table import Groups

MAX_CPU_MS = 100.0


def main() -> int:
    groups, status = desk.measured(__doc__, "area", _walk, MAX_CPU_MS)
    desk.set_up()

    from benchmarks.area_pages import every_page

    desk.say(
        "Not measured: "
        + ", ".join(
            f"{method} {name}"
            for method, name in every_page()
            if method != "GET" or not any(name == known for known, _ in groups)
        )
    )
    return status


def _walk(groups: Groups, only: str) -> None:
    desk.set_up()

    from benchmarks.area_pages import walk

    walk(groups, only)


if __name__ == "__main__":
    raise SystemExit(main())
