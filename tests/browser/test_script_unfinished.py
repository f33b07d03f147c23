"""What becomes of an arrival that the service did not answer in time, in a real Chromium."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import ANY_API, LINK_HASH, SHOP, ClientArea
from tests.browser.conftest import AS_IT_IS

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser

LINK = f"{SHOP}/aff/{LINK_HASH}"
STORAGE_THROWS = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("denied", "SecurityError"); } });"""


def test_next_page_asks_again(client_area: ClientArea, page: Page) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/welcome", "referral_cookie": "token"}
    client_area.status = 503
    assert client_area.open(page, LINK, referer="http://blog.example.org/") == "failed"

    client_area.status = 200
    outcome = client_area.open(page, f"{SHOP}/plans")

    first, second = client_area.visits
    assert first == second
    assert second["visit_url"] == LINK
    assert second["referrer_url"] == "http://blog.example.org/"
    assert (outcome, page.url) == ("stayed", f"{SHOP}/plans")
    assert client_area.cookie_value() == "token"


def test_answered_arrival_is_not_asked_about_again(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/"}
    client_area.status = 503
    client_area.open(page, f"{SHOP}/?ref=first")
    client_area.status = 200
    client_area.open(page, f"{SHOP}/?ref=second")

    assert client_area.open(page, f"{SHOP}/plans") == "idle"

    assert [visit["visit_url"] for visit in client_area.visits] == [
        f"{SHOP}/?ref=first",
        f"{SHOP}/?ref=second",
    ]
    assert page.evaluate("localStorage.length") == 0


def test_is_forgotten_after_a_day(client_area: ClientArea, page: Page) -> None:
    client_area.is_reachable = False
    page.clock.set_fixed_time("2026-01-01T10:00:00Z")
    client_area.open(page, LINK)
    client_area.is_reachable = True

    page.clock.set_fixed_time("2026-01-02T10:00:00Z")
    assert client_area.open(page, f"{SHOP}/plans") == "idle"

    page.clock.set_fixed_time("2026-01-02T09:59:59Z")
    assert client_area.open(page, f"{SHOP}/plans") == "stayed"


def test_visitor_who_leaves_before_the_answer_is_asked_about_on_the_next_page(
    client_area: ClientArea, context: BrowserContext, page: Page
) -> None:
    context.route(ANY_API, lambda _route: None, times=1)
    page.goto(f"{SHOP}/?ref=demo")
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}

    client_area.open(page, f"{SHOP}/plans")

    assert [visit["visit_url"] for visit in client_area.visits] == [f"{SHOP}/?ref=demo"]
    assert client_area.cookie_value() == "token"


@pytest.mark.parametrize("block", ["", STORAGE_THROWS])
def test_page_tries_again_ever_later_and_gives_up(
    client_area: ClientArea, page: Page, block: str
) -> None:
    page.add_init_script(block)
    client_area.status = 503
    page.add_init_script(AS_IT_IS)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.goto(LINK)
    page.evaluate("referral.ready")

    for tries, seconds in enumerate((4, 16, 64), start=2):
        page.clock.run_for(seconds * 1000 - 100)
        assert len(client_area.visits) == tries - 1
        with page.expect_response(ANY_API):
            page.clock.run_for(200)
    page.clock.run_for(600_000)
    assert len(client_area.visits) == 4


@pytest.mark.parametrize(
    ("_case", "opened", "ends_at"),
    [
        ("nobody stays on a link's address", LINK, f"{SHOP}/welcome"),
        ("nobody is taken from a page", f"{SHOP}/?ref=demo", f"{SHOP}/?ref=demo"),
    ],
)
def test_late_answer_counts(
    client_area: ClientArea,
    context: BrowserContext,
    page: Page,
    _case: str,
    opened: str,
    ends_at: str,
) -> None:
    waiting: list[Route] = []
    context.route(ANY_API, lambda route: waiting.append(route))
    page.add_init_script(AS_IT_IS)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.goto(opened)
    page.evaluate("void referral.ready.then((r) => (window.done = r.outcome))")
    page.clock.run_for(3_100)
    page.wait_for_function("window.done === 'failed'")

    [late] = waiting
    answer = {"redirect_url": f"{SHOP}/welcome", "referral_cookie": "token"}
    late.fulfill(
        body=json.dumps({"data": answer}),
        content_type="application/json",
        headers={"Access-Control-Allow-Origin": "*"},
    )

    if ends_at != opened:
        page.wait_for_url(ends_at)
    page.wait_for_function("document.cookie === 'referral_cookie=token'")
    assert page.url == ends_at


def test_trouble_is_neither_thrown_nor_logged(
    client_area: ClientArea, page: Page
) -> None:
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    page.add_init_script(STORAGE_THROWS)
    page.add_init_script("Object.freeze(history)")
    client_area.raw_body = "<html>"

    assert client_area.open(page, LINK) == "failed"
    client_area.raw_body = '{"data": {"redirect_url": "/relative"}}'
    assert client_area.open(page, f"{SHOP}/?ref=demo") == "failed"
    client_area.is_reachable = False
    with page.expect_console_message():
        assert client_area.open(page, f"{SHOP}/?ref=other") == "failed"

    # The browser's own line about a call that did not arrive.
    assert said == ["Failed to load resource: net::ERR_FAILED"]
