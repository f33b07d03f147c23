"""Baseline (c), the floor under ASGI: (a) as one ASGI callable on asynchronous connections.

With (a)'s own INSERT on 16 threads it costs a third more.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

import orjson
import psycopg

from affiliates.visits.rules import ClickRow
from benchmarks.baselines import raw

# As many as (a) has.
CONNECTIONS = 16

_turns = asyncio.Semaphore(CONNECTIONS)
_idle: list[psycopg.AsyncConnection[Any]] = []


async def application(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise ValueError("Only requests are answered.")
    headers = dict(scope["headers"])
    data, row = raw.track(
        orjson.loads(await _body(receive)),
        origin=headers[b"origin"].decode(),
        address=headers[b"x-forwarded-for"].decode(),
    )
    await _insert(row)
    content = orjson.dumps({"data": data})
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(content)).encode()),
            ],
        }
    )
    await send({"type": "http.response.body", "body": content, "more_body": False})


async def _body(receive: Any) -> bytes:
    parts, is_more = [], True
    while is_more:
        message = await receive()
        parts.append(message["body"])
        is_more = message["more_body"]
    return b"".join(parts)


async def _insert(row: ClickRow) -> None:
    """On one of the connections; psycopg prepares the statement by itself."""
    async with _turns:
        connection = _idle.pop() if _idle else await _connect()
        await connection.execute(raw.INSERT, row)
        _idle.append(connection)


async def _connect() -> psycopg.AsyncConnection[Any]:
    return await psycopg.AsyncConnection.connect(
        os.environ["DATABASE_URL"], autocommit=True
    )
