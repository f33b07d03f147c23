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


AT_REST = "Nothing more to follow"


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


def test_signal_of_privacy_control_passes_without_cors(
    server: DemoServer, context: BrowserContext, visitor: Visitor
) -> None:
    context.set_extra_http_headers({"Sec-GPC": "1"})

    outcome = visitor.open("/?ref=demo")

    assert outcome == "stayed"
    assert visitor.cookie() is not None
