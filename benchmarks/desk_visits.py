"""Opens pages as a person and measures each: its CPU, that of PostgreSQL, its queries."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import desk_table
from benchmarks.desk_table import Groups, Request

NANOSECONDS_PER_MS = 1_000_000
# Where nothing can be added, or the address wants something else than a row, or leads on.
NO_PAGE = (302, 403, 404, 405)


class Visitor:
    """A person whose pages are measured."""

    def __init__(
        self, user: Any, groups: Groups, *, backend: str | None = None, **headers: str
    ) -> None:
        from django.db import connection
        from django.test import Client

        # A full collection takes long, and would be counted for whichever page it meets.
        gc.collect()
        gc.freeze()
        self.groups = groups
        self._client = Client(raise_request_exception=False, headers=headers)
        self._client.force_login(user, backend)
        self._connection = connection
        self._queries: list[tuple[float, str]] = []
        with connection.cursor() as cursor:
            # All work for a page is then that of one process.
            cursor.execute("SET max_parallel_workers_per_gather = 0")
            cursor.execute("SET statement_timeout = '20s'")
            cursor.execute("SELECT pg_backend_pid()")
            self._stat = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")

    def open(self, name: str, kind: str, url: str, **headers: str) -> Any:
        """The answer of the last of two requests: the first one fills the caches."""
        self._client.get(url, headers=headers)
        self._queries.clear()
        database, server = self._database_ns(), time.process_time_ns()
        with self._connection.execute_wrapper(self._count):
            answer = self._client.get(url, headers=headers)
        server, database = (
            time.process_time_ns() - server,
            self._database_ns() - database,
        )
        if answer.status_code in NO_PAGE:
            return answer
        self.groups[name, kind].add(
            Request(
                url=url,
                status=answer.status_code,
                server_ms=server / NANOSECONDS_PER_MS,
                database_ms=database / NANOSECONDS_PER_MS,
                queries=len(self._queries),
                slowest=max(self._queries, default=(0.0, ""))[1][:2_000],
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


def measured(
    description: str | None,
    name: str,
    walk: Callable[[Groups, argparse.Namespace], None],
    max_cpu_ms: float,
    also: Callable[[argparse.ArgumentParser], Any] = lambda parser: None,
) -> tuple[Groups, int]:
    """What is asked for on the command line, printed; and the status to end with."""
    options = _parse_arguments(description or "", name, also)
    if options.show:
        groups = desk_table.read(options.show)
    else:
        groups = desk_table.read(options.keep) if options.keep else desk_table.empty()
        walk(groups, options)
    if options.keep:
        desk_table.keep(groups, options.keep)
    beside = desk_table.read(options.beside) if options.beside else {}
    for line in desk_table.table(groups, beside, max_cpu_ms):
        say(line)
    missed = [page for group in groups.values() for page in group.misses(max_cpu_ms)]
    if options.explain:
        for page in missed:
            one = page.slowest
            say(
                f"\n{one.url} {one.status}: {one.server_ms:.0f} + {one.database_ms:.0f} ms,"
                f" {one.queries} queries\n  {one.slowest}"
            )
    return groups, 1 if missed else 0


def _parse_arguments(
    description: str, name: str, also: Callable[[argparse.ArgumentParser], Any]
) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}", description=description.partition("\n")[0]
    )
    parser.add_argument(
        "--only", default="", help="models, or URLs, whose name contains this"
    )
    parser.add_argument("--keep", type=Path, help="a file that the round is added to")
    parser.add_argument("--show", type=Path, help="what was kept, without a new round")
    parser.add_argument("--beside", type=Path, help="what was kept of another database")
    parser.add_argument(
        "--explain", action="store_true", help="the queries of what misses the target"
    )
    also(parser)
    return parser.parse_args()


def set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    os.environ.update(
        HTTPS="off",
        ALLOWED_HOSTS="*",
        STAFF_SECOND_FACTOR="off",
        AFFILIATES_THROTTLE_RATES="affiliate=1000000/minute",
    )

    import django

    django.setup()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
