"""nginx and the web processes as deployed: slow clients and kills disturb nobody."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import ssl
import time
import warnings
from collections import Counter
from contextlib import ExitStack
from statistics import median, quantiles

import pytest

from benchmarks.running import HOST
from tests.deploy.conftest import (
    DOMAIN,
    METRICS_TOKEN,
    ORIGIN,
    WORKERS,
    Site,
    await_condition,
    await_started_workers,
    connect,
)
from tests.lengths import IS_LONG

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("deploy")]

SLOW = 300
VISIT = "/api/affiliate_link/visit"
VISITS = 50
SLOW_BODY = (
    "POST /api/affiliate_link/visit HTTP/1.1\r\n"
    f"Host: {DOMAIN}\r\nOrigin: {ORIGIN}\r\n"
    "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    "{"
).encode()
SLOW_HEADERS = (
    f"POST /api/affiliate_link/visit HTTP/1.1\r\nHost: {DOMAIN}\r\nX-S".encode()
)
BODY = json.dumps(
    {
        "visit_url": f"{ORIGIN}/?ref=demo",
        "referrer_url": "https://blog.example.org/",
        "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0",
    }
)
# What people are to wait at most where the machine has nothing else to do.
ANSWER_SECONDS = 0.1
# Another process may have the machine for a while, but not for half of what a client that
# holds a thread would hold it.
BUSY_ANSWER_SECONDS = 5.0


def visit(site: Site) -> tuple[int, float]:
    """The status, and the seconds from the handshake to the answer's end."""
    began = time.monotonic()
    status = status_of(site, VISIT, BODY)
    return status, time.monotonic() - began


def status_of(site: Site, path: str, body: str) -> int:
    caller = http.client.HTTPConnection(DOMAIN, timeout=60)
    caller.sock = connect(site.port)
    try:
        headers = {"Origin": ORIGIN, "Content-Type": "application/json"}
        caller.request("POST", path, body, headers)
        answer = caller.getresponse()
        answer.read()
        return answer.status
    finally:
        caller.close()


@pytest.mark.parametrize(
    "page", ["affiliates_imports/importfile", "affiliates_payout_runs/payoutanswer"]
)
def test_files_may_be_large_where_files_are_read_only(site, page):
    large = "x" * (3 << 20)

    assert status_of(site, "/admin/login/", large) == 413
    # Refused by us, who may end the connection before all of it has come: that is 502.
    assert status_of(site, f"/admin/{page}/add/", large) in (403, 502)


def test_metrics_are_those_of_all_processes(site):
    # At its first visit each process asks itself for the headers of the answer.
    assert {visit(site)[0] for _ in range(VISITS)} == {200}
    before = visits_counted(site)

    assert {visit(site)[0] for _ in range(VISITS)} == {200}

    # Whichever of the processes answers.
    counted = {visits_counted(site) for _ in range(4 * WORKERS)}
    assert counted == {before + VISITS}


def test_a_load_balancer_finds_it_ready(site):
    assert get(site, "/health/live") == (200, '{"status": "live"}')
    assert get(site, "/health/ready") == (200, '{"status": "ready"}')
    assert get(site, "/metrics")[0] == 401


def visits_counted(site: Site) -> float:
    status, text = get(site, "/metrics", authorization=f"Bearer {METRICS_TOKEN}")
    assert status == 200
    counts = re.findall(r"^affiliates_visits_total{.*} (\S+)$", text, re.MULTILINE)
    return sum(map(float, counts))


def get(site: Site, path: str, **headers: str) -> tuple[int, str]:
    caller = http.client.HTTPConnection(DOMAIN, timeout=60)
    caller.sock = connect(site.port)
    try:
        caller.request("GET", path, headers=headers)
        answer = caller.getresponse()
        return answer.status, answer.read().decode()
    finally:
        caller.close()


@pytest.mark.long
def test_slow_clients_hold_nobody_up(site):
    undisturbed = seconds_of_visits(site)

    with ExitStack() as slow:
        clients = []
        for number in range(2 * SLOW):
            client = slow.enter_context(connect(site.port))
            client.sendall(SLOW_BODY if number % 2 else SLOW_HEADERS)
            clients.append(client)
        disturbed = seconds_of_visits(site)

        # All would wait if anybody held a thread.
        assert median(disturbed) < BUSY_ANSWER_SECONDS
        if IS_LONG:
            limit = max(ANSWER_SECONDS, 2 * nearly_all(undisturbed))
            assert nearly_all(disturbed) < limit
            assert max(disturbed) < BUSY_ANSWER_SECONDS
            assert Counter(map(how_it_ended, clients)) == {"let go": 2 * SLOW}


def seconds_of_visits(site: Site) -> list[float]:
    answers = [visit(site) for _ in range(VISITS)]
    assert {status for status, _ in answers} == {200}
    return [seconds for _, seconds in answers]


def nearly_all(seconds: list[float]) -> float:
    return quantiles(seconds, n=10)[-1]


def how_it_ended(client: ssl.SSLSocket) -> str:
    client.settimeout(30)
    try:
        return "answered" if client.recv(1) else "let go"
    except TimeoutError:
        return "kept"
    except OSError:
        return "let go"


def test_killed_worker_is_replaced_and_its_neighbour_answers(site):
    visit(site)
    before = site.workers()
    assert len(before) == WORKERS
    killed = min(before)

    os.kill(killed, signal.SIGKILL)

    statuses = Counter(visit(site)[0] for _ in range(VISITS))
    assert statuses == {200: VISITS}
    await_started_workers(site.log, WORKERS + 1)
    await_condition(lambda: len(site.workers()) == WORKERS)
    assert before - site.workers() == {killed}


def test_plain_http_is_sent_to_https(site):
    status, headers, _ = plain(site, "/admin/?next=1")

    assert status == 301
    assert headers["Location"] == f"https://{DOMAIN}/admin/?next=1"


def test_a_call_by_plain_http_is_refused_and_its_description_redirects(site):
    answers = {path: plain(site, path) for path in (VISIT, "/api/", "/api/docs")}
    [refusal, *_] = answers.values()

    assert [status for status, _, _ in answers.values()] == [403, 403, 301]
    assert refusal[1]["Content-Type"] == "application/json"
    # As the portal says it itself.
    error = {"code": "https_required", "detail": "Call it by https.", "attr": None}
    assert json.loads(refusal[2]) == {"type": "client_error", "errors": [error]}


def plain(site: Site, path: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    caller = http.client.HTTPConnection("127.0.0.1", site.plain_port, timeout=60)
    caller.request("GET", path, headers={"Host": DOMAIN})
    answer = caller.getresponse()
    body = answer.read()
    caller.close()
    return answer.status, answer.headers, body


@pytest.mark.parametrize(
    "path", ["/admin/login/", "/api/docs", "/api/unknown", "/static/admin/css/base.css"]
)
def test_every_answer_says_how_browsers_are_to_treat_it(site, path):
    headers = headers_of(site, "GET", path)

    assert headers["Strict-Transport-Security"] == (
        "max-age=31536000; includeSubDomains; preload"
    )
    assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
    assert headers["Referrer-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    # A style sheet has nothing to click at.
    framed = None if path.startswith("/static/") else "DENY"
    assert headers.get("X-Frame-Options") == framed


def test_cookies_are_kept_to_https_and_to_our_own_pages(site):
    cookie = headers_of(site, "GET", "/admin/login/")["Set-Cookie"]

    attributes = {one.strip() for one in cookie.split(";")[1:]}
    assert {"Secure", "SameSite=Lax", "Path=/"} <= attributes
    assert "Domain" not in cookie
    assert cookie.startswith("__Host-csrftoken=")


@pytest.mark.parametrize("path", ["/", "/admin/login/", VISIT])
def test_nobody_traces(site, path):
    assert answer_of(site, "TRACE", path).status == 405


@pytest.mark.parametrize("path", ["/static/", "/static/admin/", "/media/"])
def test_folders_are_not_listed(site, path):
    assert get(site, path)[0] == 404


def headers_of(site: Site, method: str, path: str) -> http.client.HTTPMessage:
    return answer_of(site, method, path).headers


def answer_of(site: Site, method: str, path: str) -> http.client.HTTPResponse:
    caller = http.client.HTTPConnection(DOMAIN, timeout=60)
    caller.sock = connect(site.port)
    try:
        caller.request(method, path)
        answer = caller.getresponse()
        answer.read()
        return answer
    finally:
        caller.close()


def test_tls_of_today_is_spoken_and_no_other(site):
    assert spoken(site, newest=ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert spoken(site, newest=ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    with pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION|protocol version"):
        spoken(site, newest=ssl.TLSVersion.TLSv1_1)
    for weak in ("ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA256"):
        with pytest.raises(ssl.SSLError, match="(?i)handshake.failure"):
            spoken(site, newest=ssl.TLSVersion.TLSv1_2, ciphers=weak)


def spoken(site: Site, *, newest: ssl.TLSVersion, ciphers: str = "ALL") -> str | None:
    """The version that both agree on. Security level 0 is ours alone: the client's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    with warnings.catch_warnings():
        # That of old versions, which are asked for to be refused.
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = newest
    with (
        socket.create_connection((HOST, site.port), timeout=60) as plain,
        context.wrap_socket(plain, server_hostname=DOMAIN) as caller,
    ):
        return caller.version()
