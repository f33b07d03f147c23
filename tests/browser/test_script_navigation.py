"""Where referral.js sends the visitor, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.client_area import API, LINK_HASH, SHOP, ClientArea
from tests.browser.conftest import AS_IT_IS

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

DAY = 86_400


def test_second_visit_refreshes_the_cookie_and_stays(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("held")
    client_area.answer = {
        "redirect_url": f"{SHOP}/",
        "referral_cookie": "held-longer",
        "referral_cookie_max_age": 60 * DAY,
    }

    outcome = client_area.open(page, f"{SHOP}/basket?step=2#total")

    assert outcome == "stayed"
    assert page.url == f"{SHOP}/basket?step=2#total"
    assert client_area.cookie_value() == "held-longer"


def test_arrival_leaves_no_step_back_to_the_affiliate_address(
    client_area: ClientArea, page: Page
) -> None:
    client_area.open(page, f"{SHOP}/start")
    client_area.answer = {"redirect_url": f"{SHOP}/plans"}
    client_area.open(page, f"{SHOP}/aff/{LINK_HASH}")
    assert page.url == f"{SHOP}/plans"

    page.go_back()

    assert page.url == f"{SHOP}/start"


@pytest.mark.parametrize(
    ("_case", "path", "answer", "shown"),
    [
        ("parameter goes", "/plans?ref=demo", "/plans", "/plans"),
        ("others stay", "/plans?a=1&ref=demo", "/plans?a=1", "/plans?a=1"),
        ("redirect goes", "/plans?aid=4&redirect=/plans", "/plans", "/plans"),
        ("anchor stays", "/plans?ref=demo#top", "/plans", "/plans#top"),
        ("fragment parameter goes", "/plans#ref=demo", "/plans", "/plans"),
        ("answer's anchor", "/plans?ref=demo", "/plans#plans", "/plans#plans"),
        ("answer is this very page", "/plans?ref=demo", "/plans?ref=demo", None),
        ("with an empty fragment", "/plans?ref=demo", "/plans?ref=demo#", None),
        ("with its fragment", "/#/plans?ref=demo", "/#/plans?ref=demo", None),
    ],
)
def test_same_page_changes_only_its_address(
    client_area: ClientArea,
    page: Page,
    _case: str,
    path: str,
    answer: str,
    shown: str | None,
) -> None:
    client_area.answer = {"redirect_url": SHOP + answer}
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))

    outcome = client_area.open(page, SHOP + path)

    assert outcome == "stayed"
    assert page.url == SHOP + (shown or path)
    assert len(loads) == 1
    assert len(client_area.visits) == 1


def test_answer_with_an_anchor_scrolls_to_it(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/#plans"}

    client_area.open(page, f"{SHOP}/?ref=demo")

    page.wait_for_function("scrollY > 1000")


def test_other_host_is_followed(client_area: ClientArea, page: Page) -> None:
    client_area.answer = {"redirect_url": "http://docs.example.com/start?x=1#y"}

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert page.url == "http://docs.example.com/start?x=1#y"


@pytest.mark.parametrize(
    "answer",
    [
        "javascript:document.title='taken'",
        "data:text/html,taken",
        "ftp://example.com/",
        "/relative",
        "//example.org",
        "",
        None,
        42,
    ],
)
def test_answer_that_is_no_web_address_is_not_followed(
    client_area: ClientArea, page: Page, answer: Any
) -> None:
    client_area.answer = {"redirect_url": answer}

    client_area.open(page, f"{SHOP}/plans?ref=demo")

    assert page.url == f"{SHOP}/plans?ref=demo"
    assert page.title() == "Shop"


@pytest.mark.parametrize(
    ("_case", "status", "body"),
    [
        ("server error", 500, '{"type": "server_error"}'),
        ("refused", 403, '{"type": "client_error"}'),
        ("too many", 429, '{"type": "client_error"}'),
        ("broken JSON", 200, '{"data": {"redirect_url": '),
        ("empty body", 200, ""),
        ("no data", 200, "{}"),
        ("null", 200, "null"),
        ("data of another kind", 200, '{"data": [1]}'),
    ],
)
def test_bad_answer_keeps_the_page_and_the_cookie(
    client_area: ClientArea, page: Page, _case: str, status: int, body: str
) -> None:
    client_area.hold_cookie("held")
    client_area.status, client_area.raw_body = status, body

    outcome = client_area.open(page, f"{SHOP}/plans?ref=demo")

    assert outcome == "failed"
    assert page.url == f"{SHOP}/plans?ref=demo"
    assert client_area.cookie_value() == "held"


def test_unreachable_service_keeps_the_page_and_the_cookie(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("held")
    client_area.is_reachable = False

    outcome = client_area.open(page, f"{SHOP}/plans?ref=demo")

    assert outcome == "failed"
    assert page.url == f"{SHOP}/plans?ref=demo"
    assert client_area.cookie_value() == "held"


def test_silent_service_is_given_up_after_three_seconds(
    client_area: ClientArea, context: BrowserContext, page: Page
) -> None:
    context.route(f"{API}/**", lambda _route: None)
    page.add_init_script(AS_IT_IS)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.goto(f"{SHOP}/plans?ref=demo")
    page.evaluate("void referral.ready.then((r) => (window.done = r.outcome))")

    page.clock.run_for(2_900)
    assert page.evaluate("window.done") is None
    page.clock.run_for(200)

    page.wait_for_function("window.done === 'failed'")
    assert page.url == f"{SHOP}/plans?ref=demo"


@pytest.mark.parametrize("landing", ["/", "/#/plans"])
def test_route_that_is_a_link_gives_way_to_its_target(
    client_area: ClientArea, page: Page, landing: str
) -> None:
    client_area.answer = {"redirect_url": SHOP + landing}

    client_area.open(page, f"{SHOP}/#/aff/{LINK_HASH}")

    assert page.url == SHOP + landing
    assert len(client_area.visits) == 1
