"""A second brand from nothing, by the first steps, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.demo_server import DemoServer
from tests.browser.desk_pages import Looks

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
NAME = "Alpenblick Hosting"
SEEN = ["Visit of your shop", "Registration", "Payment"]
CLIENT = "erika@alpenblick.example"
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def server(desk_server: DemoServer) -> DemoServer:
    return desk_server


def test_a_second_brand_is_set_up_until_nothing_is_missing(
    server: DemoServer, admin_page: Page
) -> None:
    looks = Looks(admin_page)
    guide = Guide(admin_page, server)
    guide.open()
    admin_page.get_by_role("link", name="Add a brand").click()
    admin_page.locator("[name=name]").wait_for()
    looks.at("brand")
    guide.add_brand()
    assert guide.missing() == ["Plan", "Payout terms", "First affiliate", "Link", *SEEN]
    looks.at("guide-begun")

    guide.follow("Plan")
    guide.add_plan(looks)
    guide.follow("Payout terms")
    guide.save()
    guide.add_client()
    guide.follow("First affiliate")
    guide.add_affiliate(looks)
    guide.follow("Link")
    guide.add_link(looks)
    assert guide.missing() == SEEN

    guide.press("Try this link")
    guide.hear(f"The visit leads to {guide.shop}. Permitted: the visited host itself.")

    # It calls itself, and the brand is for tests: that shows nothing of a shop.
    assert guide.missing() == SEEN
    looks.at("guide-done")
    looks.require_none()
    [[clicks, test_clicks]] = server.query(
        "SELECT count(*), sum(bot_signs <> '') FROM affiliates_click c"
        " JOIN affiliates_brand b ON b.id = c.brand_id WHERE b.name = ?",
        NAME,
    )
    assert (clicks, test_clicks) == (1, 1)


class Guide:
    """The page of the first steps, and the forms that it leads to."""

    def __init__(self, page: Page, server: DemoServer) -> None:
        self.page = page
        self.admin = f"{server.demo['api_base']}/admin"
        self.host = f"alpenblick.localhost:{urlsplit(server.origin).port}"
        self.shop = f"http://{self.host}/"

    def open(self) -> None:
        self.page.goto(f"{self.admin}/")
        for page in ("System", "First steps"):
            self.page.get_by_role("link", name=page).first.click()
        self._wait()

    def missing(self) -> list[str]:
        steps = self.page.locator(".affiliates-steps > li", has_text="Missing")
        return steps.locator("strong").all_inner_texts()

    def follow(self, step: str) -> None:
        self.page.get_by_role("link", name=f"Do it: {step}", exact=True).click()
        self.page.locator("[name=_save]").wait_for()

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button).click()

    def hear(self, message: str) -> None:
        self.page.get_by_text(message, exact=True).wait_for()

    def add_brand(self) -> None:
        self._fill(
            name=NAME, default_redirect_url=self.shop, **{"domains-0-host": self.host}
        )
        self.page.get_by_role("heading", name="State: ").click()
        self.page.locator("[name=is_test]").check()
        self.save()

    def add_plan(self, looks: Looks) -> None:
        self._fill(name="Alpenblick standard")
        self._fill(**{"rules-0-percent": "20"})
        looks.at("plan")
        self.save()

    def add_client(self) -> None:
        self.page.goto(f"{self.admin}/portal/user/add/")
        self.page.locator("[name=brand]").select_option(label=NAME)
        self._fill(email=CLIENT, password1=PASSWORD, password2=PASSWORD)
        self.page.locator("[name=_save]").click()
        self.page.get_by_text("was added successfully").wait_for()
        self._back()

    def add_affiliate(self, looks: Looks) -> None:
        self.page.get_by_role("combobox", name="Client").click()
        self.page.locator(".select2-search__field").fill("erika")
        self.page.get_by_role("option", name=CLIENT).click()
        self._fill(code="erika")
        looks.at("affiliate")
        self.save()

    def add_link(self, looks: Looks) -> None:
        self._fill(name="Footer")
        looks.at("link")
        self.save()

    def _back(self) -> None:
        """To the newest brand: the guide's own choice."""
        self.page.goto(f"{self.admin}/affiliates/brand/guide/")

    def _fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.page.locator(f"[name={name}]").fill(value)

    def save(self) -> None:
        self.page.locator("[name=_save]").click()
        self._wait()

    def _wait(self) -> None:
        self.page.wait_for_url("**/brand/guide/**")
        self.page.locator(".affiliates-steps").wait_for()
