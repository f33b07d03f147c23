"""Calls to the servers of these tests, and how they fail."""

from __future__ import annotations

import pytest

from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import Call, CallFailed, FailureKind
from tests.affiliates.outbox.http.servers import Server


def transport_to(server: Server, **options) -> Transport:
    return Transport(allowed_hosts={server.host}, **options)


def get(server: Server, path: str = "/", **options) -> Call:
    return Call(method="GET", url=f"http://{server.host}{path}", **options)


def failure_of(transport: Transport, call: Call) -> tuple[FailureKind, str]:
    with pytest.raises(CallFailed) as failure:
        transport.send(call)
    # Neither the log nor an error page may show what lies behind it.
    assert failure.value.__cause__ is None
    assert failure.value.__suppress_context__ is True
    return failure.value.kind, failure.value.detail


def headers_of(request: bytes) -> dict[str, str]:
    lines = request.split(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
    return dict(line.split(": ", 1) for line in lines)
