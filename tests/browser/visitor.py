"""What a person does in the shop."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

from tests.browser.client_area import follow
from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

PASSWORD = "a long enough passphrase"


class Visitor:
    """One person in one tab, with an e-mail that nobody else has."""

    def __init__(self, page: Page, server: DemoServer) -> None:
        self.page = page
        self.server = server
        self.email = f"{uuid.uuid4().hex}@example.com"
        self.visits: list[str] = []
        page.on("request", self._note)

    def open(self, path: str) -> str:
        """Go to a page of the shop; answers what referral.js did on the last page."""
        return follow(self.page, self.server.origin + path)

    def choose(self, product: str) -> None:
        """Put a plan or an extra of the front page into the basket."""
        offer = self.page.locator("article").filter(
            has=self.page.get_by_role("heading", name=product, exact=True)
        )
        offer.get_by_role("button").click()
        self.page.wait_for_url("**/basket")
        self.page.locator("tbody tr", has_text=product).wait_for()

    def complete_registration(self) -> None:
        """From the basket of a guest to the page where the invoice is paid."""
        self.page.get_by_role("link", name="Check out").click()
        self.fill_details()
        self.page.get_by_role("button", name="Register and order").click()
        self.wait_for_invoice()

    def register(self) -> None:
        self.page.goto(f"{self.server.origin}/register")
        self.fill_details()
        self.page.get_by_role("button", name="Create account").click()
        self.page.get_by_role("heading", name="Your account", exact=True).wait_for()

    def fill_details(self) -> None:
        self.page.get_by_label("First name").fill("Ada")
        self.page.get_by_label("Last name").fill("Example")
        self.page.get_by_label("E-mail").fill(self.email)
        self.page.get_by_label("Password").fill(PASSWORD)

    def wait_for_invoice(self) -> None:
        self.page.wait_for_url(re.compile(r"/pay\?invoice="))
        self.page.get_by_role("link", name="Continue to Demo Bank").wait_for()

    def pay(self) -> None:
        self.page.get_by_role("link", name="Continue to Demo Bank").click()
        self.page.locator("#pay").click()
        self.page.get_by_text("Paid", exact=True).wait_for()

    def enter_coupon(self, code: str) -> None:
        """At the check-out."""
        self.page.get_by_label("Coupon code").fill(code)
        self.page.get_by_role("button", name="Apply").click()
        self.page.get_by_role("button", name="Take it off").wait_for()

    def cookie(self) -> Any:
        held = [
            cookie
            for cookie in self.page.context.cookies(self.server.origin)
            if cookie.get("name") == "referral_cookie"
        ]
        return held[0] if held else None

    def orders(self) -> list[tuple[Any, ...]]:
        """Outcome, and the credited affiliate's code, of each of the person's orders."""
        return self.server.query(
            """
            SELECT referral.outcome, affiliate.code
            FROM affiliates_orderreferral referral
            JOIN portal_user client ON client.id = referral.client_id
            LEFT JOIN affiliates_affiliate affiliate ON affiliate.id = referral.affiliate_id
            WHERE client.email = ?
            """,
            self.email,
        )

    def sales(self) -> list[tuple[Any, ...]]:
        """Affiliate's code, net amount and currency of each sale the person made."""
        return self.server.query(
            """
            SELECT affiliate.code, sale.net, sale.net_currency
            FROM affiliates_sale sale
            JOIN affiliates_affiliate affiliate ON affiliate.id = sale.affiliate_id
            JOIN affiliates_orderreferral referral ON referral.id = sale.order_referral_id
            JOIN portal_user client ON client.id = referral.client_id
            WHERE client.email = ?
            """,
            self.email,
        )

    def invoice(self) -> str:
        """The initial invoice of the person's only order."""
        [(invoice, _)] = self._order()
        return str(invoice)

    def story(self, admin_page: Page) -> str:
        """What staff read of the person's only order."""
        [(_, referral)] = self._order()
        path = f"/admin/affiliates/orderreferral/{referral}/change/"
        admin_page.goto(self.server.demo["api_base"] + path)
        return admin_page.locator("body").inner_text()

    def _order(self) -> list[tuple[Any, ...]]:
        return self.server.query(
            """
            SELECT referral.invoice_ref, referral.id
            FROM affiliates_orderreferral referral
            JOIN portal_user client ON client.id = referral.client_id
            WHERE client.email = ?
            """,
            self.email,
        )

    def _note(self, request: Any) -> None:
        if request.url == self.server.visit_endpoint and request.method == "POST":
            self.visits.append(request.post_data_json["visit_url"])
