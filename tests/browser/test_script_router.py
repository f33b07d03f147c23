"""How referral.js gets on with a router that changes the address, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import API, LINK_HASH, SHOP, ClientArea, outcome_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

STRIPPING_PAGE = """<!doctype html><title>Shop</title>
<script>history.replaceState({{key: "k"}}, "", location.pathname)</script>
<script src="/referral.js" data-api="{api}" defer></script>"""


@pytest.mark.parametrize(
    ("_case", "step", "path"),
    [
        ("push", "history.pushState({key: 1}, '', '/plans?ref=x')", "/plans?ref=x"),
        ("replace", "history.replaceState({key: 1}, '', '?aid=4')", "/start?aid=4"),
        ("hash router", "location.hash = '#/plans?aid=4'", "/start#/plans?aid=4"),
        ("link", f"history.pushState(0, '', '/aff/{LINK_HASH}')", f"/aff/{LINK_HASH}"),
        ("stripped at once", "history.pushState(0, '', '/?ref=x');"
         "history.replaceState(0, '', '/')", "/?ref=x"),
    ],
)  # fmt: skip
def test_arrival_within_the_app_is_asked_about_once(
    client_area: ClientArea, page: Page, _case: str, step: str, path: str
) -> None:
    assert client_area.open(page, f"{SHOP}/start") == "idle"
    client_area.answer = {
        "redirect_url": f"{SHOP}/start",
        "referral_cookie": "token",
    }

    page.evaluate(f"{{ {step} }}")
    page.wait_for_function("document.cookie === 'referral_cookie=token'")

    assert client_area.visits[0]["visit_url"] == SHOP + path
    assert len([v for v in client_area.visits if v["visit_url"] == SHOP + path]) == 1


def test_router_keeps_its_address_and_its_state(
    client_area: ClientArea, page: Page
) -> None:
    client_area.open(page, f"{SHOP}/start")
    client_area.answer = {"redirect_url": f"{SHOP}/plans?a=1"}

    page.evaluate("history.pushState({key: 'k'}, '', '/plans?a=1&ref=x')")

    assert outcome_of(page) == "stayed"
    assert page.evaluate("[location.href, history.state.key, history.length]") == [
        f"{SHOP}/plans?a=1",
        "k",
        page.evaluate("history.length"),
    ]
    page.go_back()
    assert page.url == f"{SHOP}/start"
    page.go_forward()
    assert page.evaluate("history.state.key") == "k"
    assert len(client_area.visits) == 1


def test_router_that_puts_the_address_back_is_not_asked_about_again(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/plans", "referral_cookie": "token"}
    client_area.open(page, f"{SHOP}/plans?ref=demo")
    assert page.url == f"{SHOP}/plans"

    page.evaluate("history.replaceState(null, '', '/plans?ref=demo')")
    assert outcome_of(page) == "stayed"
    assert len(client_area.visits) == 1

    page.evaluate("history.pushState(null, '', '/plans?ref=other')")
    assert outcome_of(page) == "stayed"
    assert len(client_area.visits) == 2


def test_router_meets_its_own_errors(client_area: ClientArea, page: Page) -> None:
    client_area.open(page, f"{SHOP}/start")

    refused = page.evaluate(
        """() => {
            try { history.pushState(0, "", "http://elsewhere.example/?ref=x"); }
            catch (error) { return error.name; }
        }"""
    )

    assert refused == "SecurityError"
    assert client_area.visits == []


def test_steps_between_ordinary_pages_ask_nothing(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("held")
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "held"}
    client_area.open(page, f"{SHOP}/start")

    page.evaluate("history.pushState(0, '', '/plans'); history.back()")
    page.wait_for_url(f"{SHOP}/start")
    page.evaluate("location.hash = '#top'")

    assert len(client_area.visits) == 1


def test_router_that_has_stripped_the_address_loses_nothing(
    client_area: ClientArea, context: BrowserContext, page: Page
) -> None:
    context.route(
        f"{SHOP}/plans?ref=demo",
        lambda route: route.fulfill(
            body=STRIPPING_PAGE.format(api=API), content_type="text/html"
        ),
    )
    client_area.answer = {"redirect_url": f"{SHOP}/plans", "referral_cookie": "token"}

    outcome = client_area.open(page, f"{SHOP}/plans?ref=demo")

    assert [visit["visit_url"] for visit in client_area.visits] == [
        f"{SHOP}/plans?ref=demo"
    ]
    assert (outcome, page.url) == ("stayed", f"{SHOP}/plans")
    assert page.evaluate("history.state.key") == "k"
    assert client_area.cookie_value() == "token"


def test_page_may_name_the_address_itself(client_area: ClientArea, page: Page) -> None:
    client_area.open(page, f"{SHOP}/start")
    client_area.answer = {"redirect_url": f"{SHOP}/start", "referral_cookie": "token"}

    outcomes = page.evaluate(
        """async () => {
            const results = [await referral.visit("/plans")];
            results.push(...await Promise.all([
                referral.visit("/start?ref=x"), referral.visit("/start?ref=x"), referral.ready,
            ]));
            results.push(await referral.visit("http://["), await referral.visit());
            return results.map((result) => result.outcome);
        }"""
    )

    assert outcomes == ["idle", "stayed", "stayed", "stayed", "failed", "stayed"]
    assert [visit["visit_url"] for visit in client_area.visits] == [
        f"{SHOP}/start?ref=x"
    ]
    assert client_area.cookie_value() == "token"


def test_newer_arrival_wins_over_a_slower_answer(
    client_area: ClientArea, page: Page
) -> None:
    client_area.open(page, f"{SHOP}/start")
    client_area.answer = {"redirect_url": f"{SHOP}/start", "referral_cookie": "token"}

    page.evaluate(
        """async () => {
            const ask = window.fetch;
            window.fetch = async (...request) => {
                window.fetch = ask;
                const slow = await ask(...request);
                await referral.visit("/start?ref=second");
                document.cookie = "referral_cookie=second; path=/";
                return slow;
            };
            await referral.visit("/start?ref=first");
            await new Promise((done) => setTimeout(done, 50));
        }"""
    )

    assert client_area.cookie_value() == "second"
