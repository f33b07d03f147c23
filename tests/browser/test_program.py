"""From an order to what its affiliate is paid, as staff read it in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_order_tells_what_its_affiliate_earns_and_what_a_refund_takes_back(
    visitor: Visitor, server: DemoServer, admin_page: Page
) -> None:
    visitor.open("/?ref=demo")
    visitor.choose("Business")
    visitor.page.get_by_role("link", name="Check out").click()
    visitor.enter_coupon(server.demo["coupon_code"])
    visitor.fill_details()
    visitor.page.get_by_role("button", name="Register and order").click()
    visitor.wait_for_invoice()
    visitor.pay()

    story = visitor.story(admin_page)

    assert "The order names the affiliate's coupon code." in story
    assert "Code PARTNER10" in story
    assert "€1.62 for demo" in story
    assert "Standard version 1" in story
    assert "20 % of €8.10 = €1.62." in story
    assert "€1.62 will be paid with the next payout." in story

    refund(admin_page, visitor, "5.00")
    story = visitor.story(admin_page)

    assert "€5.00 returned" in story
    assert "€0.84 taken back. Refund of €5.00." in story
    assert "€0.78 left." in story
    assert "€0.78 will be paid with the next payout." in story


def refund(admin_page: Page, visitor: Visitor, amount: str) -> None:
    """Give a part of the person's invoice back, as staff do in the portal."""
    api = visitor.server.demo["api_base"]
    admin_page.goto(f"{api}/admin/portal/invoice/{visitor.invoice()}/change/")
    admin_page.get_by_role("link", name="Refund", exact=True).click()
    admin_page.get_by_label("Amount").fill(amount)
    admin_page.get_by_label("The money went back to the client").check()
    admin_page.get_by_role("button", name="Refund", exact=True).click()
    admin_page.get_by_text("Refunded €5.00 of invoice").wait_for()
