"""What nginx answers by itself: before one node, and before many of which none is there."""

from __future__ import annotations

import http.client
import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.cases import each
from tests.cluster import files
from tests.cluster.files import Places
from tests.deploy.conftest import (
    DOMAIN,
    HOST,
    MAIN_CONFIGURATION,
    await_condition,
    connect,
    is_listening,
    running,
    write_certificate,
)
from tests.needs import require

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("deploy")]

LARGE = "x" * (3 << 20)
TREATMENT = {
    "Strict-Transport-Security": ["max-age=31536000; includeSubDomains; preload"],
    "X-Content-Type-Options": ["nosniff"],
}
# Of deploy/many/nginx.conf.
UNDER_WAY = 100
BEGUN = f"POST / HTTP/1.1\r\nHost: {DOMAIN}\r\nContent-Length: 9\r\n\r\n".encode()


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Iterator[Places]:
    """nginx of deploy/many/ alone: no node answers it."""
    places = Places(folder=tmp_path_factory.mktemp("many"), passwords={})
    folder = places.folder / "nginx"
    folder.mkdir()
    write_certificate(folder)
    outside, inside = files.nginx_of(places)
    (folder / "affiliates.conf").write_text(inside, "utf-8")
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        MAIN_CONFIGURATION.format(folder=folder, user=f"{user}\n{outside}"), "utf-8"
    )
    nginx = [require("nginx"), "-c", f"{folder}/nginx.conf"]
    with running(nginx, {"PATH": os.environ["PATH"]}, log=folder / "nginx.out"):
        await_condition(lambda: is_listening(places.https))
        yield places


def answered(port: int, method: str, path: str, body: str = "") -> tuple[int, dict]:
    """The status, and how browsers are to treat the answer."""
    caller = http.client.HTTPConnection(DOMAIN, timeout=60)
    caller.sock = connect(port)
    caller.request(method, path, body)
    answer = caller.getresponse()
    caller.close()
    return answer.status, {name: answer.headers.get_all(name) for name in TREATMENT}


@each("path", ["/admin/login/", "/api/affiliate_link/visit"])
def test_a_body_too_large_for_one_node(path, site):
    assert answered(site.port, "POST", path, LARGE) == (413, TREATMENT)


@each(
    ("path", "body", "status"),
    [
        ("/", LARGE, 413),
        ("/admin/login/", "", 502),
        ("/api/affiliate_link/visit", "", 502),
        ("/affiliate/invoices/", "", 502),
    ],
)
def test_an_answer_without_any_node(path, body, status, many):
    assert answered(many.https, "POST", path, body) == (status, TREATMENT)


@each(("path", "status"), [("/", 301), ("/api/products", 403)])
def test_an_answer_by_plain_http(path, status, many, site):
    for port in (many.http, site.plain_port):
        caller = http.client.HTTPConnection(HOST, port, timeout=60)
        caller.request("GET", path, headers={"Host": DOMAIN})
        answer = caller.getresponse()
        caller.close()

        assert answer.status == status
        assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"]


def test_an_address_with_too_many_requests_under_way(many):
    with ExitStack() as slow:
        for _ in range(UNDER_WAY):
            slow.enter_context(connect(many.https)).sendall(BEGUN)

        await_condition(lambda: answered(many.https, "GET", "/")[0] == 429)
        assert answered(many.https, "GET", "/") == (429, TREATMENT)

    await_condition(lambda: answered(many.https, "GET", "/")[0] == 502)
