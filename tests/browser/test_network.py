"""From an affiliate network's link to the network's own page, in a real Chromium."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import pytest

from portal.demo.network.records import Click, Transaction
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

DELIVERY_SECONDS = 60
BOTH = "/?a_aid=testaff&ref=demo"

Row = TypeVar("Row")


@pytest.fixture(autouse=True)
def _clean_network(server: DemoServer) -> None:
    server.network.reset()


@pytest.fixture
def network_page(page: Page, server: DemoServer) -> Page:
    network_page = page.context.new_page()
    network_page.goto(f"{server.network.address}/")
    return network_page


def test_networks_link_ends_in_a_sale_at_the_network(
    visitor: Visitor, server: DemoServer, network_page: Page, admin_page: Page
) -> None:
    network_page.get_by_text("No sale has arrived.").wait_for()

    visitor.page.goto(server.demo["third_party_url"])
    visitor.page.wait_for_url(f"{server.origin}/")
    click = awaited(lambda: server.network.state.clicks)
    visitor.choose("Business")
    visitor.complete_registration()
    visitor.pay()
    sale = awaited(lambda: server.network.state.transactions)

    assert_click_is_the_persons(click, visitor)
    assert_sale_is_for(sale, visitor.invoice(), click)
    assert visitor.sales() == []
    network_page.get_by_text(sale.orderid).wait_for()
    network_page.get_by_text("1 from 1 visitors").wait_for()
    await_settled(visitor)
    story = visitor.story(admin_page)
    assert "Click of the tracking integration's affiliate testaff" in story
    assert "Credited through the tracking integration: testaff." in story
    assert "Sale of €9.00 for the integration: Sent." in story


def test_second_name_of_the_parameter_is_understood_too(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.open("/plans#aid=otheraff")
    visitor.page.goto(f"{server.origin}/plans")
    visitor.choose("Starter")
    visitor.complete_registration()
    visitor.pay()

    sale = awaited(lambda: server.network.state.transactions)

    assert (sale.refid, str(sale.totalcost)) == ("otheraff", "5.00")


def test_own_link_tells_the_network_nothing(
    visitor: Visitor, server: DemoServer
) -> None:
    visitor.page.goto(server.demo["link_url"])
    visitor.page.wait_for_url(f"{server.origin}/plans")
    visitor.choose("Business")
    visitor.complete_registration()
    visitor.pay()

    assert visitor.sales() == [("demo", 9, "EUR")]
    assert queued_for(visitor) == []
    assert list(server.network.state.log) == []


def test_both_on_one_visit_follow_the_brands_policy(
    visitor: Visitor, server: DemoServer, admin_page: Page
) -> None:
    visitor.open(BOTH)
    click = awaited(lambda: server.network.state.clicks)
    visitor.choose("Business")
    visitor.complete_registration()
    visitor.pay()

    assert click.refid == "testaff"
    assert visitor.sales() == [("demo", 9, "EUR")]
    assert queued_for(visitor) == []
    assert server.network.state.transactions == []
    story = visitor.story(admin_page)
    assert "When both claim the client: The one that sent the client last." in story
    assert "The same visit was an own affiliate's as well" in story
    assert "Recorded: €9.00 net for affiliate demo." in story


def test_later_link_of_the_network_wins_over_an_own_one(
    visitor: Visitor, server: DemoServer, admin_page: Page
) -> None:
    visitor.open("/?ref=demo")
    visitor.page.wait_for_timeout(1100)  # Clicks are told apart by the second.
    visitor.open("/?a_aid=testaff")
    visitor.choose("Business")
    visitor.complete_registration()
    visitor.pay()

    sale = awaited(lambda: server.network.state.transactions)

    assert sale.orderid == visitor.invoice()
    assert visitor.sales() == []
    assert "Credited through the tracking integration" in visitor.story(admin_page)


def awaited(rows: Callable[[], list[Row]]) -> Row:
    """The only row, as soon as it is there."""
    deadline = time.monotonic() + DELIVERY_SECONDS
    while not rows() and time.monotonic() < deadline:
        time.sleep(0.05)
    [row] = rows()
    return row


def await_settled(visitor: Visitor) -> None:
    """The network has a sale before the service has noted its answer."""
    deadline = time.monotonic() + DELIVERY_SECONDS
    while set(queued_for(visitor)) != {("sale", "sent")}:
        assert time.monotonic() < deadline, queued_for(visitor)
        time.sleep(0.05)


def assert_click_is_the_persons(click: Click, visitor: Visitor) -> None:
    assert (click.refid, len(click.visitorid)) == ("testaff", 32)
    assert click.url == f"{visitor.server.origin}/"
    assert click.useragent == visitor.page.evaluate("navigator.userAgent")


def assert_sale_is_for(sale: Transaction, invoice: str, click: Click) -> None:
    assert (sale.orderid, sale.refid) == (invoice, "testaff")
    assert (str(sale.totalcost), sale.currency) == ("9.00", "EUR")
    assert sale.visitorid == click.visitorid


def queued_for(visitor: Visitor) -> list[tuple[object, ...]]:
    """What of the person's order is told to the network."""
    return visitor.server.query(
        "SELECT operation, state FROM affiliates_delivery WHERE order_ref = ?",
        visitor.invoice(),
    )
