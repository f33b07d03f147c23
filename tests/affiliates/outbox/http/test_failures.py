"""Calls without an answer, against real servers that behave badly."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from affiliates.outbox.http import connections
from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import Call, FailureKind
from tests.affiliates.outbox.http.calls import failure_of, get, transport_to
from tests.affiliates.outbox.http.servers import OK, Peer, Server

# What lasts as long without a limit; a busy machine is late by less than half of it.
LONG_SECONDS = 60.0
PUBLIC_IP = "93.184.216.34"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_refused_connection_was_not_sent():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with Transport(allowed_hosts={f"127.0.0.1:{port}"}) as transport:
        failure = failure_of(
            transport, Call(method="GET", url=f"http://127.0.0.1:{port}/?token=s3cret")
        )

    assert failure == (
        FailureKind.NOT_SENT,
        "No connection to 127.0.0.1: Connection refused.",
    )


def test_connection_that_is_never_accepted_was_not_sent():
    with socket.socket() as listener, socket.socket() as first:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        host, port = listener.getsockname()
        first.connect((host, port))  # the queue of one is full now
        with Transport(
            allowed_hosts={f"{host}:{port}"}, connect_seconds=0.2
        ) as transport:
            began = time.monotonic()
            failure = failure_of(
                transport, Call(method="GET", url=f"http://{host}:{port}/")
            )
            took = time.monotonic() - began

    assert failure == (
        FailureKind.NOT_SENT,
        "No connection to 127.0.0.1: it took too long.",
    )
    assert 0.2 <= took < LONG_SECONDS / 2


def test_name_that_does_not_exist_was_not_sent():
    def fail(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with Transport(allowed_hosts=(), resolve=fail) as transport:
        failure = failure_of(
            transport, Call(method="GET", url="https://gone.example.com/?token=s3cret")
        )

    assert failure == (
        FailureKind.NOT_SENT,
        "The name gone.example.com could not be resolved.",
    )


def test_name_without_an_address_was_not_sent():
    with Transport(allowed_hosts=(), resolve=lambda host, port: []) as transport:
        failure = failure_of(
            transport, Call(method="GET", url="https://gone.example.com/")
        )

    assert failure[0] is FailureKind.NOT_SENT


def test_resolver_that_hangs_does_not_hold_the_call():
    release = threading.Event()

    def hang(host: str, port: int) -> list[str]:
        release.wait(LONG_SECONDS)
        return [PUBLIC_IP]

    with Transport(allowed_hosts=(), resolve=hang, connect_seconds=0.2) as transport:
        began = time.monotonic()
        failure = failure_of(
            transport, Call(method="GET", url="https://slow.example.com/")
        )
        took = time.monotonic() - began
    release.set()

    assert failure == (
        FailureKind.NOT_SENT,
        "The name slow.example.com could not be resolved.",
    )
    assert 0.2 <= took < LONG_SECONDS / 2


def test_real_resolver_is_asked():
    assert connections.resolve("localhost", 80)[0] in {"127.0.0.1", "::1"}
    with pytest.raises(OSError, match="[Nn]ame|address"):
        connections.resolve("a" * 64 + ".invalid", 443)


@pytest.mark.parametrize(
    ("_case", "said"),
    [
        ("nothing", b""),
        ("half a head", b"HTTP/1.1 200 OK\r\nContent-"),
        ("half a body", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
        ("half a chunk", CHUNKED + b"9\r\nhalf"),
        ("no HTTP", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        ("a bad length", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        ("a bad chunk", CHUNKED + b"zz\r\n"),
        ("an endless head", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 40_000),
    ],
)
def test_answer_that_is_none_is_no_answer(_case, said):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.send(said)

    with Server(talk) as server, transport_to(server) as transport:
        failure = failure_of(transport, get(server, "/?token=s3cret"))

    assert failure == (
        FailureKind.NO_ANSWER,
        "127.0.0.1 gave no whole answer in HTTP.",
    )
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("_case", "said"),
    [
        ("before the answer", b""),
        ("within the answer", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
    ],
)
def test_reset_after_the_request_is_no_answer(_case, said):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.send(said)
        peer.pause(0.1)
        peer.reset()

    with Server(talk) as server, transport_to(server) as transport:
        failure = failure_of(transport, get(server))

    assert failure == (
        FailureKind.NO_ANSWER,
        "127.0.0.1 closed the connection before the answer was whole.",
    )


def test_server_that_processed_and_reset_is_asked_once_only():
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.reset()

    with Server(talk) as server, transport_to(server) as transport:
        failure_of(transport, get(server))

    assert len(server.requests) == 1
    assert server.connections == 1


@pytest.mark.parametrize(
    "options",
    [{"read_seconds": 0.2}, {"read_seconds": LONG_SECONDS, "total_seconds": 0.2}],
    ids=["read", "total"],
)
def test_silent_server_is_no_answer_after_the_lesser_time(options):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.pause(LONG_SECONDS)

    with Server(talk) as server, transport_to(server, **options) as transport:
        began = time.monotonic()
        failure = failure_of(transport, get(server))
        took = time.monotonic() - began

    assert failure == (
        FailureKind.NO_ANSWER,
        "127.0.0.1 gave no whole answer in time.",
    )
    assert 0.2 <= took < LONG_SECONDS / 2


@pytest.mark.parametrize(
    ("_case", "head", "drop"),
    [
        ("head", b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        ("body", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x"),
        ("chunks", CHUNKED, b"1\r\nx\r\n"),
        ("interim answers", b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
def test_dripping_server_is_cut_at_the_total(_case, head, drop):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.send(head)
        for _ in range(int(LONG_SECONDS / 0.03)):
            peer.send(drop)
            peer.pause(0.03)

    with (
        Server(talk) as server,
        transport_to(server, read_seconds=LONG_SECONDS, total_seconds=0.8) as transport,
    ):
        began = time.monotonic()
        failure = failure_of(transport, get(server))
        took = time.monotonic() - began

    assert failure == (
        FailureKind.NO_ANSWER,
        "127.0.0.1 gave no whole answer in time.",
    )
    assert 0.8 <= took < LONG_SECONDS / 2


def test_server_that_does_not_read_is_cut_at_the_total():
    with (
        Server(lambda peer: peer.pause(LONG_SECONDS)) as server,
        transport_to(server, read_seconds=0.5, total_seconds=0.5) as transport,
    ):
        call = Call(method="POST", url=f"http://{server.host}/", body=b"x" * 20_000_000)
        began = time.monotonic()
        failure = failure_of(transport, call)
        took = time.monotonic() - began

    assert failure[0] is FailureKind.NO_ANSWER
    assert 0.5 <= took < LONG_SECONDS / 2


def test_call_after_a_failed_one_starts_afresh():
    turns = iter([b"", OK])

    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.send(next(turns))

    with Server(talk) as server, transport_to(server) as transport:
        failure_of(transport, get(server))
        response = transport.send(get(server))

    assert response.body == b"ok"
