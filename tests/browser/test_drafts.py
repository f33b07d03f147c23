"""A form whose session ended before it was sent is shown as typed after the login."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
NAMES = "SELECT name FROM affiliates_commissionplan ORDER BY id"


def test_form_is_as_typed_after_the_login(server: DemoServer, browser: Browser) -> None:
    [[plan]] = server.query("SELECT min(id) FROM affiliates_commissionplan")
    saved = server.query(NAMES)
    address = (
        f"{server.demo['api_base']}/admin/affiliates/commissionplan/{plan}/change/"
    )
    admin = server.demo["admin"]

    with logged_in(browser, server) as page:
        page.goto(address)
        page.locator("[name=name]").fill("Typed before")
        page.context.clear_cookies(name="sessionid")
        page.locator("[name=_save]").first.click()
        page.locator("[name=username]").fill(admin["email"])
        kept = page.evaluate("sessionStorage.getItem('affiliates-draft')")
        page.locator("[name=password]").fill(admin["password"])
        page.keyboard.press("Enter")
        page.get_by_text("What you entered is here again").first.wait_for()

        assert "Typed before" in kept
        assert "csrfmiddlewaretoken" not in kept
        assert page.url == address
        assert page.locator("[name=name]").input_value() == "Typed before"
        assert page.evaluate("sessionStorage.getItem('affiliates-draft')") is None
        assert server.query(NAMES) == saved


def test_form_that_a_download_answered_is_not_sent_again(
    server: DemoServer, browser: Browser
) -> None:
    """The page stays as it is; loaded again it asks for nothing to be saved."""
    [[plan]] = server.query("SELECT min(id) FROM affiliates_commissionplan")
    address = (
        f"{server.demo['api_base']}/admin/affiliates/commissionplan/{plan}/change/"
    )

    with logged_in(browser, server) as page:
        page.goto(address)
        page.route(address, lambda route: route.fulfill(status=204), times=1)
        page.locator("[name=_save]").first.click()
        page.wait_for_function("sessionStorage.getItem('affiliates-draft')")
        page.reload()

        assert page.get_by_text("What you entered is here again").count() == 0
        assert page.evaluate("sessionStorage.getItem('affiliates-draft')") is None
