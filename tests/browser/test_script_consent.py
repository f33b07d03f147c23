"""How referral.js waits for consent and takes everything back, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import (
    ANY_API,
    LINK_HASH,
    SHOP,
    ClientArea,
    outcome_of,
)
from tests.browser.conftest import AS_IT_IS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

STORED = "[document.cookie, localStorage.length, referral.cookie() ?? null]"


@pytest.fixture
def asking(client_area: ClientArea) -> ClientArea:
    """A client area whose script waits for consent."""
    client_area.attributes = 'data-consent="required"'
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}
    return client_area


@pytest.mark.parametrize(
    "path", ["/", "/plans?ref=demo", f"/aff/{LINK_HASH}", "/#ref=demo"]
)
def test_nothing_is_sent_or_stored_before_consent(
    asking: ClientArea, page: Page, path: str
) -> None:
    assert asking.open(page, SHOP + path) == "waiting"

    page.evaluate("history.pushState(0, '', '/?ref=other')")
    assert (
        page.evaluate("referral.visit('/?ref=x').then((r) => r.outcome)") == "waiting"
    )

    assert asking.visits == []
    assert page.evaluate(STORED) == ["", 0, None]


def test_held_cookie_is_not_read_before_consent(asking: ClientArea, page: Page) -> None:
    asking.hold_cookie("held")

    assert asking.open(page, f"{SHOP}/plans") == "waiting"
    assert page.evaluate("referral.cookie()") is None

    assert page.evaluate("referral.consent(true).then((r) => r.outcome)") == "stayed"
    assert asking.visits[0]["referral_cookie"] == "held"
    assert asking.cookie_value() == "token"


def test_consent_asks_about_the_arrival_that_the_page_saw(
    asking: ClientArea, page: Page
) -> None:
    asking.open(page, f"{SHOP}/plans?ref=demo", referer="http://blog.example.org/")
    page.evaluate("history.pushState(0, '', '/basket')")

    page.evaluate("void referral.consent(true)")
    page.wait_for_url(f"{SHOP}/")

    assert asking.visits[0]["visit_url"] == f"{SHOP}/plans?ref=demo"
    assert asking.visits[0]["referrer_url"] == "http://blog.example.org/"
    assert asking.cookie_value() == "token"


def test_consent_said_again_asks_nothing_more(asking: ClientArea, page: Page) -> None:
    asking.open(page, f"{SHOP}/?ref=demo")

    outcomes = page.evaluate(
        """async () => [
            await referral.consent(true), await referral.consent(true), await referral.ready,
        ].map((result) => result.outcome)"""
    )

    assert outcomes == ["stayed", "stayed", "stayed"]
    assert len(asking.visits) == 1


@pytest.mark.parametrize("attributes", ["", 'data-consent="required"'])
def test_refusal_takes_everything_back(
    client_area: ClientArea, page: Page, attributes: str
) -> None:
    client_area.attributes = f'{attributes} data-domain="example.com"'
    client_area.hold_cookie("held")
    client_area.status = 503
    client_area.open(page, f"{SHOP}/?ref=demo")
    page.evaluate("void referral.consent(true)")
    assert outcome_of(page) == "failed"
    assert page.evaluate("localStorage.length") == 1

    client_area.status = 200
    page.evaluate("void referral.consent(false)")

    assert outcome_of(page) == "idle"
    assert page.evaluate(STORED) == ["", 0, None]
    assert client_area.cookie() is None
    page.evaluate("history.pushState(0, '', '/?ref=other')")
    assert outcome_of(page) == "stayed"
    told, later = client_area.visits[1:]
    assert (told["consent"], told["referral_cookie"]) == ("denied", "held")
    assert told["visit_url"] == f"{SHOP}/"
    assert (later["consent"], "referral_cookie" in later) == ("denied", False)
    assert page.evaluate(STORED) == ["", 0, None]


def test_withdrawal_is_told_again_until_the_service_has_it(
    client_area: ClientArea, page: Page
) -> None:
    page.add_init_script(AS_IT_IS)
    client_area.hold_cookie("held")
    client_area.answer["referral_cookie"] = "held"
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    client_area.open(page, f"{SHOP}/plans")
    client_area.status = 503

    with page.expect_response(ANY_API):
        page.evaluate("void referral.consent(false)")
    client_area.status = 200
    client_area.visit_ids = ["not-stored"]
    for seconds in (4, 16):
        page.wait_for_timeout(200)
        with page.expect_response(ANY_API):
            page.clock.run_for(seconds * 1000 + 100)
    page.clock.run_for(600_000)

    told = client_area.visits[1:]
    assert [one["referral_cookie"] for one in told] == ["held"] * 3
    assert {one["consent"] for one in told} == {"denied"}


def test_answer_that_comes_after_a_refusal_is_not_stored(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/left", "referral_cookie": "token"}
    client_area.open(page, f"{SHOP}/plans")

    page.evaluate(
        """async () => {
            const asked = referral.visit("/?ref=demo");
            referral.consent(false);
            await asked;
        }"""
    )
    page.wait_for_timeout(500)

    arrival, told = client_area.visits
    assert "referral_cookie" not in arrival
    assert (told["consent"], told["referral_cookie"]) == ("denied", "token")
    assert page.url == f"{SHOP}/plans"
    assert page.evaluate(STORED) == ["", 0, None]


def test_refusal_may_be_taken_back(asking: ClientArea, page: Page) -> None:
    asking.open(page, f"{SHOP}/?ref=demo")

    page.evaluate("referral.consent(false).then(() => referral.consent(true))")

    assert asking.cookie_value() == "token"


def test_signal_of_privacy_control_is_sent_without_being_asked_for(
    client_area: ClientArea, page: Page
) -> None:
    page.context.set_extra_http_headers({"Sec-GPC": "1"})
    client_area.answer = {"redirect_url": f"{SHOP}/"}
    client_area.hold_cookie("held")

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert client_area.visit_headers[0]["sec-gpc"] == "1"
    assert client_area.cookie() is None
    hidden = page.evaluate(
        "new Request('/', { headers: { 'Sec-GPC': '0' } }).headers.has('sec-gpc')"
    )
    assert hidden is False
