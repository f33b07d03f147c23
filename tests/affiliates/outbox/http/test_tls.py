"""Calls over TLS, and what is wrong with certificates."""

from __future__ import annotations

import ssl
import time

import pytest

from affiliates.outbox.http.types import Call, FailureKind
from tests.affiliates.outbox.http.calls import failure_of, transport_to
from tests.affiliates.outbox.http.servers import (
    OK,
    Peer,
    Server,
    answering,
    certificate,
)


def test_https_answers_when_the_certificate_is_trusted(tmp_path):
    tls, public = certificate(tmp_path, host="127.0.0.1")
    with (
        Server(answering(OK), tls=tls) as server,
        transport_to(
            server, ssl_context=ssl.create_default_context(cafile=public)
        ) as transport,
    ):
        responses = [
            transport.send(Call(method="GET", url=f"https://{server.host}/"))
            for _ in range(2)
        ]

    assert [response.body for response in responses] == [b"ok", b"ok"]
    assert server.connections == 1


@pytest.mark.parametrize(
    ("_case", "made", "is_trusted", "reason"),
    [
        ("unknown issuer", {"host": "127.0.0.1"}, False, "self-signed certificate."),
        (
            "expired",
            {"host": "127.0.0.1", "days": (-3, -1)},
            True,
            "certificate has expired.",
        ),
        (
            "another's",
            {"host": "127.0.0.2"},
            True,
            "IP address mismatch, certificate is not valid for '127.0.0.1'.",
        ),
    ],
)
def test_invalid_certificate_is_named(_case, made, is_trusted, reason, tmp_path):
    tls, public = certificate(tmp_path, **made)
    context = ssl.create_default_context(cafile=public) if is_trusted else None
    with (
        Server(answering(OK), tls=tls) as server,
        transport_to(server, ssl_context=context) as transport,
    ):
        failure = failure_of(
            transport, Call(method="GET", url=f"https://{server.host}/?token=s3cret")
        )

    assert failure == (
        FailureKind.CERTIFICATE,
        f"The certificate of 127.0.0.1 is not valid: {reason}",
    )
    assert server.requests == []


def test_authorities_of_the_environment_are_not_trusted(tmp_path, monkeypatch):
    tls, public = certificate(tmp_path, host="127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(public))
    assert len(ssl.create_default_context().get_ca_certs()) > 0
    with Server(answering(OK), tls=tls) as server, transport_to(server) as transport:
        kind, _ = failure_of(
            transport, Call(method="GET", url=f"https://{server.host}/")
        )

    assert kind is FailureKind.CERTIFICATE
    assert server.requests == []


@pytest.mark.parametrize("said", [OK, b"\x00" * 99])
def test_server_without_tls_was_not_sent_anything(said):
    def talk(peer: Peer) -> None:
        peer.send(said)
        peer.pause(0.1)

    with Server(talk) as server, transport_to(server) as transport:
        failure = failure_of(
            transport, Call(method="GET", url=f"https://{server.host}/")
        )

    assert failure == (
        FailureKind.NOT_SENT,
        "No connection to 127.0.0.1: it does not speak TLS as it should.",
    )


def test_reset_handshake_was_not_sent():
    def talk(peer: Peer) -> None:
        peer.pause(0.1)
        peer.reset()

    with Server(talk) as server, transport_to(server) as transport:
        failure = failure_of(
            transport, Call(method="GET", url=f"https://{server.host}/")
        )

    assert failure == (
        FailureKind.NOT_SENT,
        "No connection to 127.0.0.1: Connection reset by peer.",
    )


def test_silent_handshake_was_not_sent():
    with (
        Server(lambda peer: peer.pause(60)) as server,
        transport_to(server, connect_seconds=0.2) as transport,
    ):
        began = time.monotonic()
        failure = failure_of(
            transport, Call(method="GET", url=f"https://{server.host}/")
        )
        took = time.monotonic() - began

    assert failure == (
        FailureKind.NOT_SENT,
        "No connection to 127.0.0.1: it took too long.",
    )
    assert 0.2 <= took < 30
