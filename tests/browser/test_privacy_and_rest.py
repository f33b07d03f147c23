"""A real Chromium against the real service: a page that always follows, and the signal of
Global Privacy Control.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

# The specification's steps as they can be read: on every page load, to every answer.
FOLLOWER = """addEventListener("DOMContentLoaded", async () => {
    const start = "referral_cookie=";
    const held = document.cookie.split("; ").find((pair) => pair.startsWith(start));
    const response = await fetch(ENDPOINT, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
            visit_url: location.href,
            referrer_url: document.referrer,
            user_agent: navigator.userAgent,
            referral_cookie: held?.slice(start.length),
        }),
    });
    const { data } = await response.json();
    document.cookie =
        `${start}${data.referral_cookie}; max-age=${data.referral_cookie_max_age}; path=/`;
    GO;
    setTimeout(() => document.body.append("Nothing more to follow"));
});"""

PLANS = ["/plans?q=web%20hosting", "/plans?q=web%20hosting#"]
AT_REST = "Nothing more to follow"
# An address and where its answers lead. Nothing is loaded for the last, which has a fragment.
WALKS = [
    ["/plans?a=b", "/plans?a=b#"],
    ["/plans#extras", "/plans#extras"],
    ["/aff/{link_hash}", "/plans", "/plans#"],
    ["/aff/" + "0" * 40, "/", "/#"],
    ["/register?ref=demo", "/register", "/register#"],
    ["/register?ref=nobody", "/register?ref=nobody#"],
    ["/?ref=demo&redirect=/plans?q=web+hosting", *PLANS],
    ["/?redirect=/aff/{link_hash}", "/aff/{link_hash}", "/plans", "/plans#"],
    ["/plans?redirect=//evil.example", "/", "/#"],
    ["/plans?a_aid=testaff", "/plans", "/plans#"],
]


@pytest.mark.parametrize(
    "go",
    [
        "location.href = data.redirect_url",
        "location.replace(data.redirect_url)",
    ],
)
def test_page_that_always_follows_comes_to_rest(
    server: DemoServer, context: BrowserContext, page: Page, go: str
) -> None:
    context.route("**/referral*.js", lambda route: route.abort())
    endpoint = json.dumps(server.visit_endpoint)
    page.add_init_script(FOLLOWER.replace("ENDPOINT", endpoint).replace("GO", go))
    loaded: list[str] = []
    page.on("request", lambda r: r.is_navigation_request() and loaded.append(r.url))

    page.goto(f"{server.origin}/?ref=demo")
    page.wait_for_url(f"{server.origin}/#")
    page.wait_for_timeout(500)

    assert loaded == [f"{server.origin}/?ref=demo", f"{server.origin}/"]
    page.reload()
    page.get_by_text(AT_REST).wait_for()
    page.wait_for_timeout(500)
    assert len(loaded) == 3


def test_page_that_always_follows_rests_where_it_should(
    server: DemoServer, context: BrowserContext, page: Page
) -> None:
    for script in ("referral", "landing"):
        context.route(f"**/{script}*.js", lambda route: route.abort())
    endpoint = json.dumps(server.visit_endpoint)
    follower = FOLLOWER.replace("ENDPOINT", endpoint)
    page.add_init_script(follower.replace("GO", "location.replace(data.redirect_url)"))
    shown: list[str] = []
    page.on("framenavigated", lambda frame: shown.append(frame.url))

    for address, *stops in WALKS:
        shown.clear()
        walk = [server.origin + one.format(**server.demo) for one in (address, *stops)]
        page.goto(walk[0])
        page.wait_for_url(walk[-1])
        page.get_by_text(AT_REST).wait_for()
        page.wait_for_timeout(100)

        assert shown == walk


def test_signal_of_privacy_control_passes_without_cors(
    server: DemoServer, context: BrowserContext, visitor: Visitor
) -> None:
    context.set_extra_http_headers({"Sec-GPC": "1"})

    outcome = visitor.open("/?ref=demo")

    assert outcome == "stayed"
    assert visitor.cookie() is not None
