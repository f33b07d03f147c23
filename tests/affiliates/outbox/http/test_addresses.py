"""Where the one outgoing client connects to."""

from __future__ import annotations

import socket
import ssl
import time

import pytest

from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import Call, FailureKind
from tests.affiliates.outbox.http.calls import failure_of, get, headers_of
from tests.affiliates.outbox.http.servers import OK, Server, answering, certificate
from tests.cases import each

PUBLIC_IP = "93.184.216.34"
OTHER_PUBLIC_IP = "93.184.216.35"


class Network:
    """Names and addresses as a test has them; every address leads to one server."""

    def __init__(self, *answers: list[str]) -> None:
        self.server: Server | None = None
        self.dead: set[str] = set()
        self.silent: set[str] = set()
        self.asked: list[tuple[str, int]] = []
        self.dialled: list[tuple[str, int]] = []
        self._answers = iter(answers)
        self._connect = socket.create_connection

    def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return next(self._answers)

    def dial(self, address, timeout, **kwargs):
        self.dialled.append(address)
        if address[0] in self.silent:
            time.sleep(timeout)
            raise TimeoutError("timed out")
        if self.server is None or address[0] in self.dead:
            raise ConnectionRefusedError(111, "Connection refused")
        return self._connect(("127.0.0.1", self.server.port), timeout, **kwargs)


@pytest.fixture
def network(monkeypatch):
    def build(*answers: list[str]) -> Network:
        built = Network(*answers)
        monkeypatch.setattr(socket, "create_connection", built.dial)
        return built

    return build


@pytest.fixture
def tracker(tmp_path):
    """A server with a certificate for tracking.example.com, and who trusts it."""
    tls, public = certificate(tmp_path, host="tracking.example.com")
    with Server(answering(OK), tls=tls) as server:
        yield server, ssl.create_default_context(cafile=public)


TRACKER = Call(method="GET", url="https://tracking.example.com/track.php")


def test_connection_goes_to_the_address_that_was_judged(network, tracker):
    server, trust = tracker
    net = network([PUBLIC_IP], ["127.0.0.1"])
    net.server = server
    with Transport(
        allowed_hosts=(), resolve=net.resolve, ssl_context=trust
    ) as transport:
        response = transport.send(TRACKER)

    assert response.body == b"ok"
    assert net.asked == [("tracking.example.com", 443)]
    assert net.dialled == [(PUBLIC_IP, 443)]
    # The handshake has compared the certificate with the name, not with the address.
    assert headers_of(server.requests[0])["Host"] == "tracking.example.com"


def test_name_that_turns_private_is_refused_from_then_on(network, tracker):
    server, trust = tracker
    net = network([PUBLIC_IP], ["127.0.0.1"])
    net.server = server
    for expected in (200, FailureKind.FORBIDDEN):
        with Transport(
            allowed_hosts=(), resolve=net.resolve, ssl_context=trust
        ) as transport:
            if expected == 200:
                assert transport.send(TRACKER).status == 200
            else:
                assert failure_of(transport, TRACKER)[0] is expected

    assert net.dialled == [(PUBLIC_IP, 443)]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        [PUBLIC_IP, "10.0.0.1"],
        ["169.254.169.254", PUBLIC_IP],
        [PUBLIC_IP, "::1"],
        [PUBLIC_IP, "fe80::1%eth0"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["2002:7f00:1::"],
    ],
)
def test_name_with_any_private_address_is_refused(answers, network):
    net = network(answers)
    with Transport(allowed_hosts=(), resolve=net.resolve) as transport:
        failure = failure_of(transport, TRACKER)

    assert failure == (
        FailureKind.FORBIDDEN,
        "tracking.example.com resolves to an address that is not public. "
        "Enter the provider's public address.",
    )
    assert net.dialled == []


def test_second_address_is_tried_when_the_first_is_dead(network, tracker):
    server, trust = tracker
    net = network([PUBLIC_IP, OTHER_PUBLIC_IP])
    net.server, net.dead = server, {PUBLIC_IP}
    with Transport(
        allowed_hosts=(), resolve=net.resolve, ssl_context=trust
    ) as transport:
        response = transport.send(TRACKER)

    assert response.status == 200
    assert net.dialled == [(PUBLIC_IP, 443), (OTHER_PUBLIC_IP, 443)]


def test_silent_address_leaves_time_for_the_next(network, tracker):
    server, trust = tracker
    net = network([PUBLIC_IP, OTHER_PUBLIC_IP])
    net.server, net.silent = server, {PUBLIC_IP}
    with Transport(
        allowed_hosts=(), resolve=net.resolve, ssl_context=trust, connect_seconds=1.0
    ) as transport:
        response = transport.send(TRACKER)

    assert response.status == 200
    assert net.dialled == [(PUBLIC_IP, 443), (OTHER_PUBLIC_IP, 443)]


def test_all_addresses_dead_was_not_sent(network):
    net = network([PUBLIC_IP, OTHER_PUBLIC_IP])
    with Transport(allowed_hosts=(), resolve=net.resolve) as transport:
        failure = failure_of(transport, TRACKER)

    assert failure == (
        FailureKind.NOT_SENT,
        "No connection to tracking.example.com: Connection refused.",
    )
    assert len(net.dialled) == 2


def test_localhost_is_refused_by_what_it_resolves_to(monkeypatch):
    with Server(answering(OK)) as server, Transport(allowed_hosts=()) as transport:
        kind, _ = failure_of(transport, Call(method="GET", url="https://localhost/"))

    assert kind is FailureKind.FORBIDDEN
    assert server.connections == 0


@each(
    ("url", "detail"),
    [
        ("http://tracking.example.com/", "The address must begin with https://."),
        (
            "https://tracking.example.com:22/",
            "The address must use the port 443 or 8443; leave the port out for 443.",
        ),
        (
            "https://ann:hunter2@tracking.example.com/",
            "The address must not hold a user name or a password.",
        ),
        ("file:///etc/passwd", "Enter the full address, beginning with https://."),
        ("no address", "Enter the full address, beginning with https://."),
        *(
            (
                f"https://{host}/",
                "The address must name its host, not give an IP address.",
            )
            for host in (
                "127.0.0.1",
                "127.1",
                "0x7f.1",
                "2130706433",
                "169.254.169.254",
                "[::1]",
                "[::ffff:127.0.0.1]",
                PUBLIC_IP,
            )
        ),
    ],
)
def test_forbidden_address_is_not_even_resolved(url, detail, network):
    net = network()
    with Transport(allowed_hosts=(), resolve=net.resolve) as transport:
        failure = failure_of(transport, Call(method="GET", url=url))

    assert failure == (FailureKind.FORBIDDEN, detail)
    assert (net.asked, net.dialled) == ([], [])


def test_allowed_hosts_come_from_the_settings(settings):
    with Server(answering(OK)) as server:
        settings.AFFILIATES_TRACKING_ALLOWED_HOSTS = []
        with Transport() as transport:
            refused = failure_of(transport, get(server))
        settings.AFFILIATES_TRACKING_ALLOWED_HOSTS = [server.host]
        with Transport() as transport:
            response = transport.send(get(server))

    assert refused == (FailureKind.FORBIDDEN, "The address must begin with https://.")
    assert response.status == 200
