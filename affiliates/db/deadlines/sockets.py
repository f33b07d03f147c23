"""Limits every wait for PostgreSQL: neither libpq nor the server ends that of a silent one.

In a visit the limit is its deadline. Elsewhere a statement may take as long as it needs
while its server answers: after some seconds of silence the server is asked for a sign of
life on a new connection. Past either limit the connection is closed.
"""

from __future__ import annotations

import socket
from collections.abc import Generator
from functools import partial
from time import monotonic
from typing import Any

from django.db.backends.signals import connection_created

from affiliates.db.deadlines.deadline import seconds_left

# Together the longest that a silent server holds a thread outside a visit.
SILENCE_SECONDS, SIGN_SECONDS = 5.0, 4.0
# PostgreSQL and its poolers answer it with one byte, before they know who asks.
SSL_REQUEST = bytes.fromhex("00000008 04d2162f")
INTERVAL_SECONDS = 0.1


def watch_connections() -> None:
    connection_created.connect(_limit_waits, dispatch_uid="affiliates.waiting")


def _limit_waits(connection: Any, **_: Any) -> None:
    driver = connection.Database
    if driver.__name__ == "psycopg":
        raw = connection.connection
        raw.wait = partial(_wait, raw, driver.OperationalError)


def _wait(
    raw: Any,
    error: type[Exception],
    waiting: Generator[Any, Any, Any],
    interval: float = INTERVAL_SECONDS,
    **options: Any,
) -> Any:
    """psycopg's ``Connection.wait`` with a limit."""
    left = seconds_left()
    if left is not None:
        waiting = _until(waiting, raw, error, monotonic() + left)
        interval = min(interval, max(left, 0.001))
    else:
        waiting = _while_alive(waiting, raw, error)
    return type(raw).wait(raw, waiting, interval, **options)


def _until(
    waiting: Generator[Any, Any, Any], raw: Any, error: type[Exception], until: float
) -> Generator[Any, Any, Any]:
    """Fails once the time is over, whether or not bytes trickle in."""
    ready = None
    while True:
        try:
            ready = yield waiting.send(ready)
        except StopIteration as end:
            return end.value
        if monotonic() >= until:
            raw.pgconn.finish()
            raise error("The database did not answer within the visit's deadline.")


def _while_alive(
    waiting: Generator[Any, Any, Any], raw: Any, error: type[Exception]
) -> Generator[Any, Any, Any]:
    """Fails when neither the connection nor a new one gets an answer."""
    heard_at, ready = monotonic(), None
    while True:
        try:
            ready = yield waiting.send(ready)
        except StopIteration as end:
            return end.value
        if not ready and monotonic() < heard_at + SILENCE_SECONDS:
            continue
        if not ready and not _gives_sign(raw):
            raw.pgconn.finish()
            raise error("The database server is silent.")
        heard_at = monotonic()


def _gives_sign(raw: Any) -> bool:
    """Whether the server answers a new connection; a refusal is an answer too."""
    host = (raw.pgconn.hostaddr or raw.pgconn.host).decode()
    port = raw.pgconn.port.decode()
    is_local = host.startswith(("/", "@"))
    family = (
        socket.AF_UNIX
        if is_local
        else socket.AF_INET6
        if ":" in host
        else socket.AF_INET
    )
    address: Any = f"{host}/.s.PGSQL.{port}" if is_local else (host, int(port))
    with socket.socket(family) as sign:
        sign.settimeout(SIGN_SECONDS / 2)
        try:
            sign.connect(address)
            sign.sendall(SSL_REQUEST)
            return bool(sign.recv(1))
        except TimeoutError:
            return False
        except OSError:
            return True
