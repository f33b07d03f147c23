"""What the one outgoing client sends and brings back."""

from __future__ import annotations

import logging
import os
import threading

import pytest

from affiliates.outbox.http.client import MAX_BODY_BYTES, Transport
from affiliates.outbox.http.types import Call, FailureKind
from tests.affiliates.outbox.http.calls import failure_of, get, headers_of, transport_to
from tests.affiliates.outbox.http.servers import OK, Peer, Server, answering


def test_call_is_sent_byte_for_byte():
    with Server(answering(OK)) as server, transport_to(server) as transport:
        transport.send(
            Call(
                method="POST",
                url=f"http://{server.host}/a%2Fb/track.php?x=%3A+%27&y=%5B%5D&z",
                headers=(("X-Api-Key", "k"), ("User-Agent", "Firefox")),
                body=b"sale=%5B%5D",
            )
        )

    head, body = server.requests[0].split(b"\r\n\r\n")
    assert head.split(b"\r\n")[0] == (
        b"POST /a%2Fb/track.php?x=%3A+%27&y=%5B%5D&z HTTP/1.1"
    )
    assert body == b"sale=%5B%5D"
    assert headers_of(server.requests[0]) == {
        "Host": server.host,
        "X-Api-Key": "k",
        "User-Agent": "Firefox",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Content-Length": "11",
    }


def test_call_says_who_we_are():
    with Server(answering(OK)) as server, transport_to(server) as transport:
        transport.send(get(server))

    assert headers_of(server.requests[0]) == {
        "Host": server.host,
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "User-Agent": "affiliate-tracking/1.0",
    }


def test_answer_has_status_lower_case_headers_and_body():
    answer = (
        b"HTTP/1.1 429 Slow down\r\nRetry-After: 30\r\nX-Many: a\r\nx-many: b\r\n"
        b"Content-Length: 4\r\n\r\nbusy"
    )
    with Server(answering(answer)) as server, transport_to(server) as transport:
        response = transport.send(get(server))

    assert response.status == 429
    assert response.headers == {
        "retry-after": "30",
        "x-many": "a, b",
        "content-length": "4",
    }
    assert response.body == b"busy"


def test_body_of_no_encoding_is_kept_as_it_is():
    body = b"\xff\xfe\x00caf\xe9"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    with Server(answering(answer)) as server, transport_to(server) as transport:
        response = transport.send(get(server))

    assert response.body == body
    assert response.text == "\ufffd\ufffd\x00caf\ufffd"


def test_body_that_claims_to_be_compressed_is_not_unpacked():
    answer = (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n"
        b"\x1f\x8b\x08\x00"
    )
    with Server(answering(answer)) as server, transport_to(server) as transport:
        response = transport.send(get(server))

    assert response.body == b"\x1f\x8b\x08\x00"


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 10_000_000])
def test_body_is_cut_at_64_kib(size):
    sent = []

    def talk(peer: Peer) -> None:
        while peer.read_request():
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            for start in range(0, size, 50_000):
                piece = b"x" * min(50_000, size - start)
                peer.send(piece)
                sent.append(len(piece))

    with Server(talk) as server, transport_to(server) as transport:
        response = transport.send(get(server))

    assert response.status == 200
    assert response.body == b"x" * min(size, MAX_BODY_BYTES)
    if size == 10_000_000:
        # Not read and thrown away: the server found the connection closed.
        assert sum(sent) < size


def test_redirect_is_an_answer_and_is_not_followed():
    with Server(answering(OK)) as other:
        answer = (
            f"HTTP/1.1 302 Found\r\nLocation: http://{other.host}/\r\n"
            "Content-Length: 0\r\n\r\n"
        ).encode()
        with (
            Server(answering(answer)) as server,
            Transport(allowed_hosts={server.host, other.host}) as transport,
        ):
            response = transport.send(get(server))

    assert response.status == 302
    assert response.headers["location"] == f"http://{other.host}/"
    assert len(server.requests) == 1
    assert other.connections == 0


def test_cookie_is_not_kept():
    answer = (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: PAPVisitorId=0123456789abcdef; path=/\r\n"
        b"Content-Length: 0\r\n\r\n"
    )
    with Server(answering(answer)) as server, transport_to(server) as transport:
        first = transport.send(get(server))
        transport.send(get(server))

    assert first.headers["set-cookie"].startswith("PAPVisitorId=")
    assert len(server.requests) == 2
    assert b"cookie" not in server.requests[1].lower()


def test_connection_is_kept_for_the_next_call():
    with Server(answering(OK)) as server, transport_to(server) as transport:
        for _ in range(3):
            transport.send(get(server))

    assert len(server.requests) == 3
    assert server.connections == 1


def test_connection_the_server_closed_meanwhile_is_not_used():
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.send(OK)

    with Server(talk) as server, transport_to(server) as transport:
        transport.send(get(server))
        assert server.closed.acquire(timeout=60)
        response = transport.send(get(server))

    assert response.body == b"ok"
    assert server.connections == 2


def test_proxies_of_the_environment_are_ignored(monkeypatch):
    with Server(answering(OK)) as proxy, Server(answering(OK)) as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        with transport_to(server) as transport:
            transport.send(get(server))

    assert os.environ["http_proxy"] == f"http://{proxy.host}"
    assert len(server.requests) == 1
    assert proxy.connections == 0


def test_threads_share_a_transport_and_keep_their_answers_apart():
    def talk(peer: Peer) -> None:
        while request := peer.read_request():
            path = request.split(b" ")[1]
            peer.pause(0.02)
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + path[1:])

    answers: dict[str, str] = {}
    with Server(talk) as server, transport_to(server) as transport:

        def ask(number: int) -> None:
            for turn in range(5):
                name = f"{number:02}{turn:02}"
                answers[name] = transport.send(get(server, f"/{name}")).text

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(answers) == 40
    assert all(name == text for name, text in answers.items())


def test_long_url_is_sent_whole():
    path = "/?url=" + "%2F" * 20_000
    with Server(answering(OK)) as server, transport_to(server) as transport:
        transport.send(get(server, path))

    assert server.requests[0].split(b" ")[1] == path.encode()


@pytest.mark.parametrize(
    ("header", "detail"),
    [
        (("Host", "other"), "The header Host cannot be set: remove it."),
        (
            ("content-length", "1"),
            "The header content-length cannot be set: remove it.",
        ),
        (
            ("Transfer-Encoding", "chunked"),
            "The header Transfer-Encoding cannot be set: remove it.",
        ),
        (("Bad Name", "x"), "The call has a header without a proper name."),
        *(
            (
                ("X-Token", value),
                "The header X-Token must be plain text: letters, digits and signs of "
                "ASCII, without blanks at its ends.",
            )
            for value in ("a\r\nHost: b", "caf\xe9", " a", "a ", "a\x00")
        ),
    ],
)
def test_header_that_would_bend_the_request_is_refused(header, detail):
    with Server(answering(OK)) as server, transport_to(server) as transport:
        failure = failure_of(transport, get(server, headers=(header,)))

    assert failure == (FailureKind.FORBIDDEN, detail)
    assert server.connections == 0


def test_method_that_is_none_is_refused():
    with Server(answering(OK)) as server, transport_to(server) as transport:
        failure = failure_of(
            transport, Call(method="GET / HTTP/1.1\r\n", url=f"http://{server.host}/")
        )

    assert failure == (
        FailureKind.FORBIDDEN,
        "The call's method is no HTTP method.",
    )
    assert server.connections == 0


def test_secrets_of_a_call_are_not_logged(caplog):
    caplog.set_level(logging.DEBUG)
    with Server(answering(OK)) as server, transport_to(server) as transport:
        transport.send(
            Call(
                method="POST",
                url=f"http://{server.host}/s3cret-path?token=s3cret",
                headers=(("X-Api-Key", "s3cret"),),
                body=b"password=s3cret",
            )
        )

    assert len(server.requests) == 1
    assert "s3cret" not in caplog.text
