"""The recipes of docs/recipes.md and the proxy of docs/nextjs.md, run as they are printed,
in a real Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.client_area import (
    API,
    LINK_HASH,
    ROOT,
    SCRIPT,
    SHOP,
    ClientArea,
    outcome_of,
)
from tests.needs import require

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

BLOCK = re.compile(r"^`([\w./]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECIPES = dict(BLOCK.findall((ROOT / "docs/recipes.md").read_text("utf-8")))
NEXT = dict(BLOCK.findall((ROOT / "docs/nextjs.md").read_text("utf-8")))
SERVED = Path(__file__).with_name("recipes")
PACKAGE = ROOT / "packages/referral"
COOKIE_WRITES = """
const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
window.written = [];
Object.defineProperty(document, "cookie", {
    get() { return cookie.get.call(document); },
    set(text) { window.written.push(text); cookie.set.call(document, text); },
});"""


def recipe(name: str) -> str:
    return RECIPES[name].replace("https://api.example.com", API)


@pytest.fixture
def serve(client_area: ClientArea, context: BrowserContext) -> Any:
    """Let every document of the shop be this one."""

    def serve(html: str) -> None:
        context.route(
            f"{SHOP}/**",
            lambda route: (
                route.fulfill(body=html, content_type="text/html")
                if route.request.resource_type == "document"
                else route.fallback()
            ),
        )

    return serve


def test_every_recipe_is_run() -> None:
    assert set(RECIPES) == {"index.html", "consent.html", "main.jsx", "route.js"}


def test_plain_html(client_area: ClientArea, page: Page, serve: Any) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}
    serve(recipe("index.html"))
    client_area.open(page, f"{SHOP}/aff/{LINK_HASH}")

    page.locator("[name=email]").fill("ada@example.com")
    page.get_by_role("button").click()
    page.locator("#done").wait_for()

    assert client_area.visits[-1] == {
        "email": "ada@example.com",
        "user_agent": page.evaluate("navigator.userAgent"),
        "referral_cookie": "token",
    }


def test_plain_html_without_the_script(
    client_area: ClientArea, context: BrowserContext, page: Page, serve: Any
) -> None:
    serve(recipe("index.html"))
    context.route("**/referral.js", lambda route: route.abort())
    page.goto(f"{SHOP}/?ref=demo")

    page.locator("[name=email]").fill("ada@example.com")
    page.get_by_role("button").click()
    page.locator("#done").wait_for()

    [registration] = client_area.visits
    assert set(registration) == {"email", "user_agent"}


def test_consent_banner(client_area: ClientArea, page: Page, serve: Any) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/plans", "referral_cookie": "token"}
    serve(recipe("consent.html"))

    assert client_area.open(page, f"{SHOP}/aff/{LINK_HASH}") == "waiting"
    assert client_area.visits == []
    page.get_by_role("button", name="Yes").click()
    page.wait_for_url(f"{SHOP}/plans")
    assert outcome_of(page) == "stayed"
    assert client_area.cookie_value() == "token"
    assert page.locator("#banner").is_hidden()

    page.evaluate("localStorage.consent = 'no'")
    page.goto(f"{SHOP}/plans?ref=demo")
    page.wait_for_url(f"{SHOP}/plans")
    assert client_area.cookie() is None
    withdrawn, refused = client_area.visits[2:]
    assert (withdrawn["consent"], withdrawn["referral_cookie"]) == ("denied", "token")
    assert (refused["consent"], "referral_cookie" in refused) == ("denied", False)


@pytest.fixture(scope="session")
def react_app(tmp_path_factory: pytest.TempPathFactory) -> str:
    esbuild = require("esbuild")
    source = tmp_path_factory.mktemp("react") / "main.jsx"
    source.write_text(recipe("main.jsx"), "utf-8")
    bundle = subprocess.run(  # noqa: S603 - our own command
        [
            esbuild,
            source,
            "--bundle",
            "--jsx=automatic",
            "--define:process.env.NODE_ENV='production'",
            f"--alias:affiliates-referral={PACKAGE / 'index.js'}",
        ],
        env={**os.environ, "NODE_PATH": str(PACKAGE / "node_modules")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert bundle.returncode == 0, bundle.stderr
    return bundle.stdout


def test_react(
    client_area: ClientArea,
    context: BrowserContext,
    page: Page,
    serve: Any,
    react_app: str,
) -> None:
    serve('<!doctype html><div id="root"></div><script src="/app.js"></script>')
    context.route("**/app.js", lambda route: route.fulfill(body=react_app))
    client_area.answer = {
        "redirect_url": f"{SHOP}/plans?plan=1",
        "referral_cookie": "first",
    }

    client_area.open(page, f"{SHOP}/plans?plan=1&ref=demo")
    page.locator("#cookie", has_text="first").wait_for()
    assert page.url == f"{SHOP}/plans?plan=1"

    page.evaluate("window.isSameDocument = true")
    page.get_by_role("link", name="Plans").click()
    client_area.answer = {"redirect_url": f"{SHOP}/#", "referral_cookie": "second"}
    page.get_by_role("link", name="A friend's offer").click()
    page.locator("#cookie", has_text="second").wait_for()

    page.wait_for_url(f"{SHOP}/")
    page.get_by_role("heading", name="Home", level=1).wait_for()
    assert page.evaluate("window.isSameDocument")
    assert [visit["visit_url"] for visit in client_area.visits] == [
        f"{SHOP}/plans?plan=1&ref=demo",
        f"{SHOP}/?ref=friend",
    ]
    page.go_back()
    page.wait_for_url(f"{SHOP}/plans?plan=2")
    page.get_by_role("heading", name="Plans", level=1).wait_for()


@pytest.fixture(scope="module")
def on_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The port of a server with both recipes, one for each host."""
    node = require("node")
    folder = tmp_path_factory.mktemp("recipes")
    shutil.copy(SERVED / "serve.mjs", folder)
    shutil.copytree(SERVED / "next", folder / "node_modules/next")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "route.js").write_text(RECIPES["route.js"], "utf-8")
    (folder / "proxy.js").write_text(NEXT["proxy.js"], "utf-8")
    process = subprocess.Popen(  # noqa: S603 - our own command
        [node, "serve.mjs", SCRIPT], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process:
        yield process.stdout.readline().strip()
        process.terminate()


def calls_of(page: Page, origin: str) -> list[dict[str, Any]]:
    port = origin.rpartition(":")[2]
    calls: list[dict[str, Any]] = page.request.get(
        f"http://127.0.0.1:{port}/calls"
    ).json()
    return [call for call in calls if call["visit"]["visit_url"].startswith(origin)]


def test_proxy_of_the_same_origin(
    on_server: str, context: BrowserContext, page: Page
) -> None:
    shop = f"http://shop.localhost:{on_server}"
    context.set_extra_http_headers({"Sec-GPC": "1"})
    page.add_init_script(COOKIE_WRITES)

    page.goto(f"{shop}/aff/{LINK_HASH}")
    page.wait_for_url(f"{shop}/plans")
    assert outcome_of(page) == "stayed"

    arrival, renewal = calls_of(page, shop)
    assert arrival["visit"]["visit_url"] == f"{shop}/aff/{LINK_HASH}"
    assert arrival["headers"]["origin"] == shop
    assert arrival["headers"]["user-agent"] == page.evaluate("navigator.userAgent")
    assert arrival["headers"]["sec-gpc"] == "1"
    assert "cookie" not in renewal["headers"]
    [cookie] = context.cookies(shop)
    assert cookie["value"] == page.evaluate("referral.cookie()")
    assert cookie["value"] != renewal["visit"]["referral_cookie"]
    assert page.evaluate("window.written") == []

    page.goto(f"{shop}/?ref=nobody")
    assert outcome_of(page) == "stayed"
    assert context.cookies(shop) == []


def test_next_on_the_server(
    on_server: str, context: BrowserContext, page: Page
) -> None:
    shop = f"http://next.localhost:{on_server}"

    page.goto(f"{shop}/aff/{LINK_HASH}", referer="http://blog.example.org/")
    assert page.url == f"{shop}/plans"
    [arrival] = calls_of(page, shop)
    assert arrival["visit"] == {
        "visit_url": f"{shop}/aff/{LINK_HASH}",
        "referrer_url": "http://blog.example.org/",
        "user_agent": page.evaluate("navigator.userAgent"),
    }
    assert arrival["headers"]["origin"] == shop
    [cookie] = context.cookies(shop)
    assert (cookie["name"], cookie["sameSite"]) == ("referral_cookie", "Lax")

    page.goto(f"{shop}/?ref=demo")
    assert page.url == f"{shop}/?ref=demo"
    assert calls_of(page, shop)[1]["visit"]["referral_cookie"] == cookie["value"]
    [newer] = context.cookies(shop)
    assert newer["value"] != cookie["value"]

    page.goto(f"{shop}/?ref=broken")
    assert page.url == f"{shop}/?ref=broken"
    assert context.cookies(shop) == [newer]

    page.goto(f"{shop}/?ref=nobody")
    assert context.cookies(shop) == []

    for damaged in ("/aff/summer", f"/de/aff/{LINK_HASH}.", "/?x=1&amp;REF=demo"):
        context.clear_cookies()
        page.goto(shop + damaged)
        assert len(context.cookies(shop)) == 1
