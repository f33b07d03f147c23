"""What becomes of a visit that was answered but not stored, in a real Chromium."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import ANY_API, LINK_HASH, SHOP, ClientArea
from tests.browser.conftest import AS_IT_IS

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser

LINK = f"{SHOP}/aff/{LINK_HASH}"
ELSEWHERE = "http://docs.example.com/start"


def ids_sent(client_area: ClientArea) -> list[str | None]:
    return [headers.get("visit-id") for headers in client_area.visit_headers]


def test_is_followed_and_sent_again_on_the_next_page(
    client_area: ClientArea, page: Page
) -> None:
    client_area.visit_ids = ["sealed"]
    client_area.unstored_answer = {"redirect_url": f"{SHOP}/welcome"}
    client_area.answer = {"redirect_url": f"{SHOP}/welcome", "referral_cookie": "token"}

    page.goto(LINK, referer="http://blog.example.org/")
    page.wait_for_url(f"{SHOP}/welcome")
    page.wait_for_function("document.cookie === 'referral_cookie=token'")

    assert ids_sent(client_area) == [None, "sealed"]
    first, second = client_area.visits
    assert first == second
    assert second["visit_url"] == LINK
    assert page.url == f"{SHOP}/welcome"
    assert client_area.open(page, f"{SHOP}/plans") == "stayed"
    assert ids_sent(client_area) == [None, "sealed", None]
    assert page.evaluate("localStorage.length") == 0


def test_is_sent_again_before_the_origin_is_left(
    client_area: ClientArea, page: Page
) -> None:
    client_area.visit_ids = ["sealed"]
    client_area.answer = {"redirect_url": ELSEWHERE, "referral_cookie": "token"}

    page.goto(LINK)
    page.wait_for_url(ELSEWHERE)

    assert ids_sent(client_area) == [None, "sealed"]
    assert client_area.cookie_value() == "token"
    assert client_area.open(page, f"{SHOP}/") == "stayed"
    # The renewal of the cookie.
    assert ids_sent(client_area) == [None, "sealed", None]
    assert client_area.visits[-1]["visit_url"] == f"{SHOP}/"


def test_second_answer_knows_better_where_to_go(
    client_area: ClientArea, context: BrowserContext, page: Page
) -> None:
    client_area.visit_ids = ["sealed"]
    client_area.answer = {"redirect_url": ELSEWHERE}

    def answer_again(route: Route) -> None:
        if client_area.visits:
            client_area.answer = {"redirect_url": f"{ELSEWHERE}?of=link"}
        route.fallback()

    context.route(ANY_API, answer_again)
    page.goto(LINK)

    page.wait_for_url(f"{ELSEWHERE}?of=link")


def test_origin_is_left_after_300_ms_and_the_visit_sent_again_when_it_is_back(
    client_area: ClientArea, context: BrowserContext, page: Page
) -> None:
    client_area.visit_ids = ["sealed"]
    client_area.answer = {"redirect_url": ELSEWHERE}
    asked_at: list[float] = []

    def keep_waiting(route: Route) -> None:
        asked_at.append(time.monotonic())
        if len(asked_at) == 1:
            route.fallback()

    context.route(ANY_API, keep_waiting, times=2)
    page.goto(LINK)
    page.wait_for_url(ELSEWHERE)
    assert time.monotonic() - asked_at[1] > 0.25

    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}
    assert client_area.open(page, f"{SHOP}/plans") == "stayed"

    assert ids_sent(client_area) == [None, "sealed"]
    assert client_area.cookie_value() == "token"


def test_page_on_which_the_visitor_stays_tries_again(
    client_area: ClientArea, page: Page
) -> None:
    client_area.visit_ids = ["sealed", "sealed-again"]
    client_area.answer = {"redirect_url": f"{SHOP}/plans"}
    page.add_init_script(AS_IT_IS)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.goto(f"{SHOP}/plans?ref=demo")
    assert page.evaluate("referral.ready.then((r) => r.outcome)") == "stayed"
    assert page.url == f"{SHOP}/plans"

    client_area.answer = {"redirect_url": f"{SHOP}/other", "referral_cookie": "token"}
    for tries, seconds in enumerate((4, 16), start=2):
        page.clock.run_for(seconds * 1000 - 100)
        assert len(client_area.visits) == tries - 1
        with page.expect_response(ANY_API):
            page.clock.run_for(200)
    page.wait_for_function("document.cookie === 'referral_cookie=token'")
    page.clock.run_for(600_000)

    assert ids_sent(client_area) == [None, "sealed", "sealed-again"]
    # Nobody is taken from the page.
    assert page.url == f"{SHOP}/plans"


def test_held_cookie_is_kept_meanwhile(client_area: ClientArea, page: Page) -> None:
    client_area.hold_cookie("held")
    client_area.visit_ids = ["sealed"]
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "resealed"}

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert client_area.cookie_value() == "resealed"
    assert client_area.visits[0]["referral_cookie"] == "held"


def test_renewal_is_not_sent_again(client_area: ClientArea, page: Page) -> None:
    client_area.hold_cookie("held")
    client_area.visit_ids = ["sealed"]
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "held"}

    client_area.open(page, f"{SHOP}/plans")
    client_area.open(page, f"{SHOP}/plans")

    assert ids_sent(client_area) == [None, None]


def test_revoked_consent_forgets_it(client_area: ClientArea, page: Page) -> None:
    client_area.visit_ids = ["sealed"]
    client_area.open(page, f"{SHOP}/?ref=demo")

    page.evaluate("referral.consent(false)")

    assert page.evaluate("localStorage.length") == 0
    assert client_area.open(page, f"{SHOP}/plans") == "idle"
