"""Visits from a process whose PostgreSQL and Redis are behind proxies that fail."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NamedTuple

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, connections

from affiliates.api.short_path import VisitShortPath
from affiliates.brands import config_cache
from affiliates.brands import selectors as brands
from affiliates.brands.config_cache import ConfigCache
from affiliates.db.deadlines import aside
from affiliates.outbox import active
from affiliates.program import selectors as program
from affiliates.visits.writer import close_click_connections
from tests.contract.both_paths import request, visit
from tests.faults.proxy import FaultProxy, proxied

SOCKETS = "/var/run/postgresql"
THREADS = 16


class Answered(NamedTuple):
    status: str
    headers: dict[str, str]
    data: dict[str, Any]
    seconds: float


class Service:
    """The process's application, with THREADS threads of a web server's."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._application = VisitShortPath(WSGIHandler())

    def visit(
        self, url: str, *, visit_id: str | None = None, **fields: Any
    ) -> Answered:
        return self._ask(url, visit_id, fields).result()

    def visit_at_once(self, urls: Sequence[str]) -> list[Answered]:
        return [one.result() for one in [self._ask(url, None, {}) for url in urls]]

    def run(self, act: Callable[[], Any]) -> Any:
        return self._pool.submit(act).result()

    def _ask(self, url: str, visit_id: str | None, fields: dict[str, Any]) -> Any:
        environ, body = request(visit(url, **fields), HTTP_VISIT_ID=visit_id)
        return self._pool.submit(self._answer, environ, body)

    def _answer(self, environ: dict[str, Any], body: bytes) -> Answered:
        answered: list[tuple[str, Any]] = []
        began_at = time.monotonic()
        response: Any = self._application(
            environ | {"wsgi.input": BytesIO(body), "wsgi.errors": BytesIO()},
            lambda status, headers, *_: answered.append((status, headers)),
        )
        content = b"".join(response)
        if hasattr(response, "close"):
            response.close()
        seconds = time.monotonic() - began_at
        [(status, headers)] = answered
        return Answered(
            status=status,
            headers={name.lower(): value for name, value in headers},
            data=json.loads(content).get("data", {}),
            seconds=seconds,
        )


@contextmanager
def serving() -> Iterator[Service]:
    with ThreadPoolExecutor(THREADS) as pool:
        yield Service(pool)
        for _ in range(THREADS):
            pool.submit(connections.close_all)
    close_click_connections()
    aside.close_aside()


@contextmanager
def database_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultProxy]:
    """For connections made from now on: the test's own goes on as it is."""
    connection.ensure_connection()
    database = connection.settings_dict
    host, port = database["HOST"] or SOCKETS, int(database["PORT"] or 5432)
    is_path = host.startswith("/")
    upstream = f"{host}/.s.PGSQL.{port}" if is_path else (host, port)
    with proxied(upstream) as proxy:
        monkeypatch.setitem(database, "HOST", "127.0.0.1")
        monkeypatch.setitem(database, "PORT", str(proxy.port))
        yield proxy


def begin_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known, and no connection is there."""
    monkeypatch.setattr(aside, "_threads", aside._Threads())
    log = config_cache.ChangeLog()
    for module in (brands, program, active):
        held = module._cache
        monkeypatch.setattr(
            module, "_cache", ConfigCache(held._load, held._keep, log=log)
        )
