"""Walks the admin of a large program: CPU and queries of every page.

    python manage.py seed_load                    # into the database of DATABASE_URL
    python -m benchmarks.desk --keep large.json   # every page there
    python -m benchmarks.desk --beside small.json # and as a table with another run's

CPU is that of this process, in which the pages are made, and of its PostgreSQL process.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_CPU_MS = 300.0
MAX_QUERIES = 25
PERCENTILE = 95
NANOSECONDS_PER_MS = 1_000_000
HTTP_ERROR = 400
# Where nothing can be added, or the address wants something else than a row.
NO_PAGE = (403, 404, 405)
KINDS = ("list", "filter", "search", "sorted", "page", "row", "other")


@dataclass(kw_only=True)
class Request:
    """One page that was asked for. ``slowest`` is its longest query."""

    url: str
    status: int
    server_ms: float
    database_ms: float
    queries: int
    slowest: str

    @property
    def cpu_ms(self) -> float:
        return self.server_ms + self.database_ms


@dataclass(kw_only=True)
class Group:
    """All requests of one kind for one model: its list, its filters, and so on."""

    requests: list[Request] = field(default_factory=list)

    @property
    def worst(self) -> Request:
        """The one at the 95th percentile of CPU."""
        ordered = sorted(self.requests, key=lambda one: one.cpu_ms)
        return ordered[math.ceil(len(ordered) * PERCENTILE / 100) - 1]

    @property
    def queries(self) -> int:
        return max(one.queries for one in self.requests)

    @property
    def refused(self) -> list[Request]:
        return [one for one in self.requests if one.status >= HTTP_ERROR]

    @property
    def meets_target(self) -> bool:
        return (
            self.worst.cpu_ms <= MAX_CPU_MS
            and self.queries <= MAX_QUERIES
            and not self.refused
        )


Groups = dict[tuple[str, str], Group]


class Visitor:
    """A superuser whose pages are measured."""

    def __init__(self, user: Any) -> None:
        from django.db import connection
        from django.test import Client

        self._client = Client(raise_request_exception=False)
        self._client.force_login(user)
        self._connection = connection
        self._queries: list[tuple[float, str]] = []
        self.groups: Groups = defaultdict(Group)
        with connection.cursor() as cursor:
            # All work for a page is then that of one process.
            cursor.execute("SET max_parallel_workers_per_gather = 0")
            cursor.execute("SET statement_timeout = '20s'")
            cursor.execute("SELECT pg_backend_pid()")
            self._stat = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")

    def open(self, name: str, kind: str, url: str) -> Any:
        """The answer of the last of two requests: the first one fills the caches."""
        self._client.get(url)
        self._queries.clear()
        database, server = self._database_ns(), time.process_time_ns()
        with self._connection.execute_wrapper(self._count):
            answer = self._client.get(url)
        server, database = (
            time.process_time_ns() - server,
            self._database_ns() - database,
        )
        if answer.status_code in NO_PAGE:
            return answer
        self.groups[name, kind].requests.append(
            Request(
                url=url,
                status=answer.status_code,
                server_ms=server / NANOSECONDS_PER_MS,
                database_ms=database / NANOSECONDS_PER_MS,
                queries=len(self._queries),
                slowest=max(self._queries, default=(0.0, ""))[1],
            )
        )
        return answer

    def _database_ns(self) -> int:
        return int(self._stat.read_text("ascii").split()[0])

    def _count(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: Any,
    ) -> Any:
        began = time.monotonic()
        try:
            return execute(sql, params, many, context)
        finally:
            text = f"{sql} -- {params}"
            self._queries.append((time.monotonic() - began, text))


def main() -> int:
    options = _parse_arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    os.environ.update(
        HTTPS="off", ALLOWED_HOSTS="testserver", STAFF_SECOND_FACTOR="off"
    )

    import django

    django.setup()

    from benchmarks.desk_pages import walk

    groups = walk(options.only)
    if options.keep:
        _keep(groups, options.keep)
    beside = json.loads(options.beside.read_text("utf-8")) if options.beside else {}
    _print(groups, beside)
    missed = [group for group in groups.values() if not group.meets_target]
    if options.explain:
        _explain(missed)
    return 1 if missed else 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.desk", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--keep", type=Path, help="a file for another run's --beside")
    parser.add_argument("--beside", type=Path, help="what another run kept")
    parser.add_argument(
        "--explain", action="store_true", help="the plans of what misses the target"
    )
    return parser.parse_args()


def _keep(groups: Groups, path: Path) -> None:
    kept = {f"{name} {kind}": _cell(group) for (name, kind), group in groups.items()}
    path.write_text(json.dumps(kept, indent=1), "utf-8")


def _print(groups: Groups, beside: dict[str, str]) -> None:
    """A row for each model. Without a mark all of its pages meet the target."""
    _say(f"| | {' | '.join(kind.capitalize() for kind in KINDS)} | Queries |")
    _say("|---" * (len(KINDS) + 2) + "|")
    for name in sorted({name for name, _ in groups}):
        cells = []
        for kind in KINDS:
            group = groups.get((name, kind))
            texts = [beside.get(f"{name} {kind}", "")] if beside else []
            if group is not None:
                texts.append(_cell(group))
            cells.append(" / ".join(filter(None, texts)))
        queries = max(one.queries for key, one in groups.items() if key[0] == name)
        _say(f"| {name} | {' | '.join(cells)} | {queries} |")
    met = sum(group.meets_target for group in groups.values())
    pages = sum(len(group.requests) for group in groups.values())
    _say(f"{pages:,} pages; {met} of {len(groups)} cells meet the target.")


def _cell(group: Group) -> str:
    worst = group.worst
    mark = "" if group.meets_target else " **missed**"
    return f"{worst.server_ms:.0f} + {worst.database_ms:.0f}{mark}"


def _explain(groups: Iterable[Group]) -> None:
    for group in groups:
        worst = (group.refused or [group.worst])[0]
        _say(f"\n{worst.url} {worst.status}: {worst.cpu_ms:.0f} ms")
        _say(f"  {worst.slowest[:2_000]}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
