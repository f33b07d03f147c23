"""From an affiliate's link to one sale: a real browser, two origins, a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import CHROMIUM_ARGUMENTS, TIMEOUT_MS, make_patient, person
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

AFFILIATE = "demo"
COOKIE_SHAPE = re.compile(r"[A-Za-z0-9_-]{100,160}")


def test_guest_who_came_by_a_link_makes_one_sale_for_its_affiliate(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open(f"/aff/{server.demo['link_hash']}")
    assert visitor.page.url == f"{server.origin}/plans"
    cookie = visitor.cookie()
    assert COOKIE_SHAPE.fullmatch(cookie["value"])
    assert cookie["sameSite"] == "Lax"

    visitor.choose("Business")
    visitor.complete_registration()
    assert visitor.orders() == [("credited", AFFILIATE)]
    assert visitor.sales() == []

    visitor.pay()

    visitor.page.get_by_role("heading", name="Thank you").wait_for()
    assert visitor.sales() == [(AFFILIATE, 9, "EUR")]


def test_client_who_registers_first_makes_one_sale(visitor: Visitor) -> None:
    visitor.open(f"/?ref={AFFILIATE}")
    visitor.register()

    visitor.page.get_by_role("link", name="Plans").click()
    visitor.choose("Starter")
    visitor.page.get_by_role("link", name="Check out").click()
    visitor.page.get_by_role("button", name="Place the order").click()
    visitor.wait_for_invoice()
    visitor.pay()

    assert visitor.sales() == [(AFFILIATE, 5, "EUR")]


def test_visitor_of_no_affiliate_makes_no_sale(visitor: Visitor) -> None:
    visitor.open("/")
    visitor.choose("Business")
    visitor.complete_registration()
    visitor.pay()

    assert visitor.visits == []
    assert visitor.cookie() is None
    assert visitor.orders() == [("nobody", None)]
    assert visitor.sales() == []


def test_paying_twice_makes_one_sale(visitor: Visitor) -> None:
    visitor.open(f"/?ref={AFFILIATE}")
    visitor.choose("Business")
    visitor.complete_registration()
    invoice = visitor.page.url
    visitor.pay()

    visitor.page.goto(invoice)
    visitor.page.get_by_text("Paid", exact=True).wait_for()

    assert visitor.sales() == [(AFFILIATE, 9, "EUR")]


def test_basket_of_several_products_is_one_sale(visitor: Visitor) -> None:
    visitor.open(f"/?ref={AFFILIATE}")
    visitor.choose("Business")
    visitor.page.get_by_role("link", name="Add an extra").click()
    visitor.choose("Domain .com")
    visitor.complete_registration()
    visitor.pay()

    assert visitor.sales() == [(AFFILIATE, 21, "EUR")]


# Where a visit leads --------------------------------------------------------------


def test_second_visit_renews_the_cookie_and_stays_on_the_page(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open(f"/?ref={AFFILIATE}")
    first = visitor.cookie()
    clicks = server.count("affiliates_click")

    outcome = visitor.open("/register")

    assert outcome == "stayed"
    assert visitor.page.url == f"{server.origin}/register"
    assert visitor.visits[-1] == f"{server.origin}/register"
    renewed = visitor.cookie()
    assert COOKIE_SHAPE.fullmatch(renewed["value"])
    assert renewed["value"] != first["value"]
    assert renewed["expires"] == pytest.approx(first["expires"], abs=60)
    assert server.count("affiliates_click") == clicks


def test_permitted_redirect_is_followed(visitor: Visitor, server: DemoServer) -> None:
    target = f"http://{server.demo['allowed_redirect_host']}/"

    visitor.page.goto(f"{server.origin}/?ref={AFFILIATE}&redirect={target}")
    visitor.page.wait_for_url(target)

    visitor.page.get_by_role("heading", name="How can we help?").wait_for()
    assert visitor.cookie() is not None


@pytest.mark.parametrize(
    "target", ["https://evil.example.com/", "//evil.example.com", "javascript:alert(1)"]
)
def test_refused_redirect_leads_to_the_default_url(
    visitor: Visitor, server: DemoServer, target: str
) -> None:
    visitor.open(f"/register?ref={AFFILIATE}&redirect={target}")

    assert visitor.page.url == server.demo["default_redirect_url"]
    assert visitor.cookie() is not None


def test_fragment_names_the_affiliate_too(visitor: Visitor, server: DemoServer) -> None:
    visitor.open(f"/#ref={AFFILIATE}")

    assert visitor.page.url == f"{server.origin}/"
    assert visitor.cookie() is not None


def test_page_that_a_code_was_added_to_only_loses_it(
    visitor: Visitor, server: DemoServer
) -> None:
    loads: list[str] = []
    visitor.page.on("load", lambda page: loads.append(page.url))

    outcome = visitor.open(f"/plans?ref={AFFILIATE}")

    assert outcome == "stayed"
    assert visitor.page.url == f"{server.origin}/plans"
    assert len(loads) == 1
    assert len(visitor.visits) == 1


def test_unknown_link_opens_the_shop_without_a_cookie(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open(f"/aff/{'0' * 40}")

    assert visitor.page.url == server.demo["default_redirect_url"]
    assert visitor.cookie() is None


# When something is missing --------------------------------------------------------


def test_visitor_shops_on_while_visits_fail(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.page.route(server.visit_endpoint, lambda route: route.abort())

    outcome = visitor.open(f"/?ref={AFFILIATE}")
    assert outcome == "failed"
    assert visitor.page.url == f"{server.origin}/?ref={AFFILIATE}"

    visitor.choose("Business")
    visitor.complete_registration()
    visitor.pay()
    assert visitor.orders() == [("nobody", None)]


def test_link_opens_the_shop_while_visits_fail_and_is_tried_again(
    visitor: Visitor, server: DemoServer
) -> None:
    link_hash = server.demo["link_hash"]
    visitor.page.route(server.visit_endpoint, lambda route: route.abort())
    visitor.page.goto(f"{server.origin}/aff/{link_hash}")
    visitor.page.wait_for_url(f"{server.origin}/?ref={link_hash}")
    assert visitor.cookie() is None

    visitor.page.unroute(server.visit_endpoint)
    visitor.page.reload()

    visitor.page.wait_for_url(f"{server.origin}/plans")
    assert visitor.cookie() is not None


def test_shop_says_so_when_the_whole_service_is_down(
    visitor: Visitor, server: DemoServer
) -> None:
    api = f"{server.demo['api_base']}/**"
    visitor.page.route(api, lambda route: route.abort())
    visitor.page.goto(f"{server.origin}/?ref={AFFILIATE}")
    visitor.page.get_by_text("The service cannot be reached").wait_for()
    assert visitor.page.url == f"{server.origin}/?ref={AFFILIATE}"

    visitor.page.unroute(api)
    visitor.page.get_by_role("button", name="Try again").click()

    visitor.choose("Business")


@pytest.fixture
def blocking_page(browser: Browser, chromium: str, tmp_path: Path) -> Iterator[Page]:
    """A page of a browser whose settings block every cookie and all storage."""
    preferences = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(preferences))
    context = browser.browser_type.launch_persistent_context(
        tmp_path,
        executable_path=chromium,
        args=CHROMIUM_ARGUMENTS,
        user_agent=person(browser),
        timeout=TIMEOUT_MS,
    )
    make_patient(context)
    yield context.pages[0]
    context.close()


def test_visitor_who_blocks_cookies_can_order_and_is_credited(
    blocking_page: Page, server: DemoServer
) -> None:
    visitor = Visitor(blocking_page, server)
    link_hash = server.demo["link_hash"]
    visitor.open(f"/aff/{link_hash}")
    assert visitor.page.url == f"{server.origin}/plans?ref={link_hash}"
    assert visitor.cookie() is None
    with pytest.raises(Exception, match="Access is denied"):
        blocking_page.evaluate("localStorage")

    visitor.choose("Business")
    visitor.complete_registration()

    assert visitor.orders() == [("credited", AFFILIATE)]
