"""A brand that requires consent: a real Chromium against the real service."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.client_area import outcome_of
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

# Of AFFILIATES_CONFIG_REFRESH_SECONDS, after which each process has noticed.
NOTICED_SECONDS = 2.5
CHANGE = """
from affiliates.brands.models.brand import Brand
brand = Brand.objects.get(domains__host="{host}")
brand.consent, brand.privacy_control = "{consent}", "{signal}"
brand.save()
"""
BANNER = """new MutationObserver(() => {
    for (const script of document.querySelectorAll("script[data-api]"))
        script.dataset.consent = "banner";
}).observe(document, { childList: true, subtree: true });
window.banner = (report) => report(localStorage.decided || "unknown");
window.decide = (decision) => {
    localStorage.decided = decision;
    return referral.consent(decision);
};"""
REFERRAL_KEYS = """[...Object.keys(localStorage), ...Object.keys(sessionStorage)]
    .filter((key) => key.startsWith("referral"))"""


def change(server: DemoServer, *, consent: str, signal: str = "not_considered") -> None:
    host = urlsplit(server.origin).netloc
    code = CHANGE.format(host=host, consent=consent, signal=signal)
    server.console.run_code(code)
    time.sleep(NOTICED_SECONDS)


@pytest.fixture(scope="module")
def asking(server: DemoServer) -> Iterator[DemoServer]:
    change(server, consent="required", signal="refusal")
    yield server
    change(server, consent="not_needed")


@pytest.fixture
def waits(context: BrowserContext) -> Callable[[], None]:
    """From now on, the shop has a banner, which remembers the decision."""
    return lambda: context.add_init_script(BANNER)


@pytest.fixture
def log(page: Page) -> list[str]:
    sent: list[str] = []
    page.on("request", lambda one: sent.append(f"{one.post_data} {one.headers}"))
    return sent


def clicks(server: DemoServer, since: int) -> list[tuple[object, ...]]:
    """Consent, and whether anything tells the visitor apart."""
    return server.query(
        """
        SELECT consent, visitor_id IS NOT NULL OR user_agent <> '' OR ip_prefix <> ''
        FROM affiliates_click ORDER BY created_at, id LIMIT -1 OFFSET ?
        """,
        str(since),
    )


def stores_nothing(visitor: Visitor, log: list[str]) -> bool:
    names_somebody = [one for one in log if "referral_cookie" in one]
    return (
        visitor.cookie() is None
        and visitor.page.evaluate(REFERRAL_KEYS) == []
        and names_somebody == []
    )


def test_page_that_reports_nothing(
    asking: DemoServer, visitor: Visitor, log: list[str]
) -> None:
    before = asking.count("affiliates_click")

    visitor.open(f"/aff/{asking.demo['link_hash']}")

    assert visitor.page.url == f"{asking.origin}/plans"
    assert stores_nothing(visitor, log)
    assert clicks(asking, before) == [("unknown", 0)]


def test_visitor_who_leaves_undecided(
    asking: DemoServer, visitor: Visitor, log: list[str], waits: Callable[[], None]
) -> None:
    waits()
    before = asking.count("affiliates_click")
    assert visitor.open("/?ref=demo") == "waiting"

    visitor.open("/plans")
    for _ in range(50):
        if clicks(asking, before):
            break
        visitor.page.wait_for_timeout(100)

    assert clicks(asking, before) == [("unknown", 0)]
    assert stores_nothing(visitor, log)


def test_visitor_who_refuses(
    asking: DemoServer, visitor: Visitor, log: list[str], waits: Callable[[], None]
) -> None:
    waits()
    before = asking.count("affiliates_click")
    visitor.open(f"/aff/{asking.demo['link_hash']}")
    # The shop's page of a link waits for no decision: the address goes on.
    visitor.page.wait_for_url(f"{asking.origin}/?ref={asking.demo['link_hash']}")
    assert outcome_of(visitor.page) == "waiting"
    assert (stores_nothing(visitor, log), clicks(asking, before)) == (True, [])

    visitor.page.evaluate("void decide('denied')")
    visitor.page.wait_for_url(f"{asking.origin}/plans")

    assert stores_nothing(visitor, log)
    assert clicks(asking, before) == [("denied", 0)]


def test_browser_that_sends_the_signal(
    asking: DemoServer, context: BrowserContext, visitor: Visitor, log: list[str]
) -> None:
    context.set_extra_http_headers({"Sec-GPC": "1"})
    before = asking.count("affiliates_click")

    visitor.open("/?ref=demo")

    assert stores_nothing(visitor, log)
    assert clicks(asking, before) == [("denied", 0)]


def test_visitor_who_agrees_and_withdraws_after_the_order(
    asking: DemoServer,
    visitor: Visitor,
    admin_page: Page,
    waits: Callable[[], None],
) -> None:
    waits()
    visitor.open("/?ref=demo")
    visitor.page.evaluate("decide('granted')")
    visitor.choose("Starter")
    visitor.complete_registration()
    assert visitor.orders() == [("credited", "demo")]
    before = asking.count("affiliates_click")

    visitor.page.evaluate("void decide('denied')")
    visitor.page.wait_for_timeout(500)

    assert visitor.cookie() is None
    assert clicks(asking, before - 1) == [("granted", 1)]
    assert visitor.orders() == [("credited", "demo")]
    assert "?ref=demo, consent given. Credited." in visitor.story(admin_page)


def test_visitor_who_withdraws_before_the_order(
    asking: DemoServer, visitor: Visitor, waits: Callable[[], None]
) -> None:
    waits()
    before = asking.count("affiliates_click")
    visitor.open("/?ref=demo")
    visitor.page.evaluate("decide('granted')")
    assert clicks(asking, before) == [("granted", 1)]
    with visitor.page.expect_response(asking.visit_endpoint):
        visitor.page.evaluate("void decide('denied')")

    visitor.choose("Starter")
    visitor.complete_registration()

    assert clicks(asking, before) == [("withdrawn", 0)]
    assert visitor.cookie() is None
    assert visitor.orders() == [("nobody", None)]
