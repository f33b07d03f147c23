"""What is set above a long list, and the views that staff keep, in a real Chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.demo_server import DemoServer
from tests.browser.staff import Staff

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
LIST = "/admin/affiliates/commission/"
SET = ".affiliates-set a"


@pytest.fixture(scope="module")
def server(desk_server: DemoServer, desk_brand: int) -> DemoServer:
    return desk_server


def test_filters_are_kept_and_taken_off_again(
    server: DemoServer, admin_page: Page
) -> None:
    staff = Staff(admin_page, server.demo["api_base"], "lists")
    staff.open(f"{LIST}?status__in=pending,approved&from=2020-01-01&until=2099-12-31")
    staff.look("set")

    admin_page.locator("summary", has_text="Columns").click()
    admin_page.get_by_label("Plan").uncheck()
    staff.look("columns")
    admin_page.get_by_role("button", name="Show").first.click()
    admin_page.locator("summary", has_text="Views").click()
    admin_page.get_by_label("Save these filters").fill("Of these days")
    staff.look("views")
    admin_page.get_by_role("button", name="Save", exact=True).click()
    staff.sees("View: Of these days")

    assert admin_page.locator(".field-plan").count() == 0
    assert admin_page.locator(SET).count() == 3
    staff.open(LIST)
    assert admin_page.locator(SET).count() == 0
    admin_page.locator("summary", has_text="Views").click()
    staff.follow("Of these days")
    admin_page.locator("summary", has_text="View: Of these days").click()
    staff.look("view")
    admin_page.locator(SET).first.click()
    admin_page.wait_for_url(lambda url: "until" not in url)
    assert admin_page.locator(SET).count() == 1
    staff.open(f"{LIST}?p=999")
    staff.look("refused")
    last = admin_page.get_by_role("link", name=re.compile("Go to the last page"))
    last.first.click()
    admin_page.wait_for_url(re.compile(r"/\?p=\d$"))
    staff.looks.require_none()
