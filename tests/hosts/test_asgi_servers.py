"""The portal is served by ASGI as well as by WSGI, by uvicorn and by granian."""

from __future__ import annotations

import http.client
import json
import socket
import sqlite3
import time
from contextlib import closing, suppress

import pytest
from django.conf import settings

from benchmarks.running import HOST, START_SECONDS, free_port, python
from tests.affiliates.api.calls import registration_body, visit_body
from tests.browser.demo_server import environment_of, manage
from tests.migrated import copy_migrated

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(
        settings.ROOT_URLCONF != "portal.urls", reason="serves the portal"
    ),
]
VISIT = "/api/affiliate_link/visit"
REGISTER, GUEST = "/api/clients/register", "/api/clients/register/guest"
SERVERS = {
    "uvicorn": ["uvicorn", "portal.asgi:application", "--log-level", "error"],
    "granian": [
        *("granian", "--interface", "asgi", "portal.asgi:application"),
        *("--no-ws", "--log-level", "error"),
    ],
    "granian, by WSGI": [
        *("granian", "--interface", "wsgi", "portal.wsgi:application"),
        *("--no-ws", "--log-level", "error"),
    ],
}
# In place of a part of the body.
LEFT = b"-"
NO_NETWORK = "http://127.0.0.1:1"


def call(port, method, path, body="", **headers):
    with closing(http.client.HTTPConnection(HOST, port, timeout=30)) as caller:
        sent = {"Content-Type": "application/json", **headers}
        # A server may refuse a body, and close, before it is sent: it has answered then.
        with suppress(BrokenPipeError):
            caller.request(method, path, body, sent)
        answer = caller.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, headers, answer.read()


def call_in_parts(port, path, *parts, **headers):
    """The answer to a body that comes in parts; b"" if the caller leaves before its end."""
    length = sum(map(len, parts))
    lines = [f"POST {path} HTTP/1.1", f"Host: {HOST}:{port}", "Connection: close"]
    sent = {"Content-Type": "application/json", "Content-Length": length, **headers}
    lines += [f"{name}: {value}" for name, value in sent.items()]
    with socket.create_connection((HOST, port), timeout=30) as caller:
        caller.sendall("\r\n".join([*lines, "", ""]).encode())
        for part in parts:
            time.sleep(0.1)
            if part is LEFT:
                return b""
            caller.sendall(part)
        return b"".join(iter(lambda: caller.recv(65_536), b""))


def await_answer(port):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            return call(port, "GET", "/api/unknown")
        except OSError:
            time.sleep(0.1)
    raise TimeoutError


def count(environment, table):
    database = environment["DATABASE_URL"].removeprefix("sqlite:///")
    with closing(sqlite3.connect(database)) as connection:
        ((rows,),) = connection.execute(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own names
    return rows


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The environment of a server with the demonstration's rows, and its link."""
    database = tmp_path_factory.mktemp("asgi") / "portal.sqlite3"
    environment = environment_of(port=8000, database=database, tracker=NO_NETWORK)
    if not copy_migrated(database):
        manage("migrate", "--verbosity=0", environment=environment)
    return environment, json.loads(
        manage("seed_demo", "--port=8000", environment=environment)
    )


@pytest.mark.parametrize("server", SERVERS)
def test_a_client_area_is_served(served, server):
    environment, demo = served
    port = free_port()
    command = ["-m", *SERVERS[server], "--host", HOST, "--port", str(port)]
    origin = {"Origin": demo["origin"]}
    visit = json.dumps(visit_body(f"{demo['origin']}/?ref=demo"))

    with python(*command, environment=environment):
        status, headers, _ = await_answer(port)
        assert (status, headers["content-type"]) == (404, "application/json")
        asked = {"Access-Control-Request-Method": "PATCH", **origin}
        status, headers, body = call(port, "OPTIONS", "/api/orders/1/convert", **asked)
        assert (status, body) == (200, b"")
        assert headers["access-control-allow-origin"] == demo["origin"]
        status, headers, body = call(port, "POST", VISIT, visit, **origin)
        cookie = json.loads(body)["data"]["referral_cookie"]
        assert (status, headers["cache-control"]) == (200, "no-store")
        assert headers["access-control-allow-origin"] == demo["origin"]
        parts = visit[:20].encode(), visit[20:].encode()
        clicks = count(environment, "affiliates_click")
        assert call_in_parts(port, VISIT, parts[0], LEFT, **origin) == b""
        answer = call_in_parts(port, VISIT, *parts, **origin)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert count(environment, "affiliates_click") == clicks + 1
        odd = {"Content-Type": "application/json; charset=hex", **origin}
        assert call(port, "POST", f"{VISIT}?a=1", visit, **odd)[0] == 200
        guest = json.dumps({"referral_cookie": cookie}).encode()
        clients = count(environment, "portal_user")
        status, _, body = call(port, "POST", GUEST, iter([guest]), **origin)
        assert (status, json.loads(body)["errors"][0]["code"]) == (
            411,
            "length_required",
        )
        assert count(environment, "portal_user") == clients
        email = f"{port}@example.org"
        sent = registration_body(email=email, referral_cookie=cookie)
        status, _, body = call(port, "POST", REGISTER, json.dumps(sent), **origin)
        assert status == 201
        token = json.loads(body)["data"]["token"]
        status, _, body = call(
            port, "POST", "/api/orders", "{}", Authorization=f"Bearer {token}", **origin
        )
        assert status == 201
        assert call(port, "GET", "/api/affiliate/balances", **origin)[0] == 401
        assert call(port, "GET", "/api/schema")[0] == 200
        assert call(port, "GET", "/admin/login/")[0] == 200
