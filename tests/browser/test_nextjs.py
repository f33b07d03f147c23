"""The files of docs/nextjs.md under Next.js, against the demonstration."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.running import HOST, ended, free_port
from tests.browser.demo_server import DemoServer
from tests.browser.test_recipes import NEXT
from tests.deploy.conftest import await_condition, is_listening
from tests.lengths import IS_LONG
from tests.needs import require
from tests.package.environments import run

pytestmark = [
    *(pytest.mark.browser, pytest.mark.site, pytest.mark.long),
    pytest.mark.skipif(not IS_LONG, reason="Next.js is installed: LONG_TESTS=on"),
]

PACKAGE = Path(__file__).with_name("nextjs")
NEXT_COMMAND = "node_modules/next/dist/bin/next"
PAGE = "export default function Page() { return <h1>Shop</h1>; }\n"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36"


@pytest.fixture(scope="module")
def shop(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the shop that the page describes, built and started."""
    folder = tmp_path_factory.mktemp("nextjs")
    pages = {"app/page.jsx": PAGE, "app/plans/page.jsx": PAGE}
    for name, text in {**NEXT, **pages}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PACKAGE / name, folder)
    environment = {
        "AFFILIATES_API": f"http://{HOST}:{urlsplit(server.origin).port}",
        "NEXT_TELEMETRY_DISABLED": "1",
        "PATH": str(Path(require("node")).parent) + ":/usr/bin:/bin",
        "HOME": str(folder),
    }
    for command in (
        [require("npm"), "ci", "--no-audit", "--no-fund", "--silent"],
        [require("node"), NEXT_COMMAND, "build"],
    ):
        run(*command, cwd=folder, **environment)
    port = free_port()
    process = subprocess.Popen(  # noqa: S603 - words of the page
        [
            require("node"),
            NEXT_COMMAND,
            "start",
            "--hostname",
            HOST,
            "--port",
            str(port),
        ],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    with ended(process):
        await_condition(lambda: is_listening(port))
        yield port


def test_a_link_leads_to_a_registration_of_the_affiliate(
    server: DemoServer, shop: int
) -> None:
    clicks = server.count("affiliates_click")

    arrival = ask(server, shop, urlsplit(server.demo["link_url"]).path)

    assert arrival.status == 307  # noqa: PLR2004 - what Next.js redirects with
    assert arrival.headers["Location"] in ("/plans", f"{server.origin}/plans")
    cookie = SimpleCookie(arrival.headers["Set-Cookie"])["referral_cookie"]
    assert (cookie["path"], cookie["samesite"]) == ("/", "lax")
    assert server.count("affiliates_click") == clicks + 1

    registered = ask(
        server,
        shop,
        "/register",
        body={"email": "next@example.com", "attempt": "the-first-attempt"},
        cookie=f"referral_cookie={cookie.value}",
    )

    assert registered.status == 201  # noqa: PLR2004 - created
    [(code,)] = server.query(
        "SELECT code FROM affiliates_clientreferral referral"
        " JOIN affiliates_affiliate affiliate ON affiliate.id = referral.affiliate_id"
        " ORDER BY referral.id DESC LIMIT 1"
    )
    assert code == "demo"


def test_a_link_that_is_fetched_in_advance_is_no_visit(
    server: DemoServer, shop: int
) -> None:
    clicks = server.count("affiliates_click")

    ask(server, shop, "/plans?ref=demo", **{"Next-Router-Prefetch": "1"})

    assert server.count("affiliates_click") == clicks


def ask(
    server: DemoServer,
    port: int,
    path: str,
    *,
    body: Mapping[str, str] | None = None,
    cookie: str = "",
    **headers: str,
) -> http.client.HTTPResponse:
    """As the server in front passes a visitor's request on."""
    with closing(http.client.HTTPConnection(HOST, port, timeout=60)) as connection:
        connection.request(
            "POST" if body else "GET",
            path,
            body=json.dumps(body) if body else None,
            headers={
                "Host": urlsplit(server.origin).netloc,
                "Origin": server.origin,
                "User-Agent": BROWSER,
                "Cookie": cookie,
                **headers,
            },
        )
        response = connection.getresponse()
        response.read()
        return response
