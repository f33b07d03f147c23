"""What an operator sees every morning, in a real Chromium, by a busy brand."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import load_workbook

from tests.browser.amounts import cut_amounts
from tests.browser.demo_server import DemoServer
from tests.browser.desk_pages import Looks

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
PAGES = {
    "overview": "/admin/?brand={brand}",
    "days": "/admin/?brand={brand}&span=custom",
    "all-brands": "/admin/?brand=all",
    "ranking": "/admin/affiliates/brand/ranking/?brand={brand}",
    "cohorts": "/admin/affiliates/brand/cohorts/?brand={brand}",
    "unearned": "/admin/affiliates/brand/unearned/?brand={brand}",
    "personal-data": "/admin/affiliates/brand/personal-data/",
    "unearned-orders": (
        "/admin/affiliates/brand/unearned/?brand={brand}&cause=nobody:no_touch"
    ),
}

# Columns of the commissions by their names, and what their cells are marked with.
COLUMNS = {
    "Invoice": "invoice_number",
    "Affiliate": "affiliate",
    "Earned": "earned_amount",
    "After refunds": "left",
    "Status": "coloured_status",
}
CELLS = """(rows, names) => rows.map((row) => names.map(
    (name) => row.querySelector(`.field-${name}`).textContent.trim()
))"""


@pytest.fixture(scope="module")
def server(desk_server: DemoServer) -> DemoServer:
    return desk_server


@pytest.fixture(scope="module")
def brand(desk_brand: int) -> int:
    return desk_brand


def test_pages_are_quiet_accessible_and_fit(
    server: DemoServer, brand: int, admin_page: Page
) -> None:
    looks = Looks(admin_page, without=())
    for name, path in PAGES.items():
        admin_page.goto(server.demo["api_base"] + path.format(brand=brand))
        looks.at(f"desk-{name}")

    looks.require_none()


@pytest.mark.parametrize("name", ["all-brands", "ranking", "cohorts"])
def test_all_numbers_are_in_sight_of_a_narrow_window(
    server: DemoServer, brand: int, admin_page: Page, name: str
) -> None:
    admin_page.set_viewport_size({"width": 390, "height": 844})
    admin_page.goto(server.demo["api_base"] + PAGES[name].format(brand=brand))
    scrolled = admin_page.locator(".affiliates-scroll")
    scrolled.locator("td", has_text="€").first.wait_for()

    assert scrolled.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    assert cut_amounts(admin_page) == []
    assert admin_page.evaluate("document.documentElement.scrollWidth") == 390


def test_buttons_of_an_affiliate_make_its_page_no_wider(
    server: DemoServer, admin_page: Page
) -> None:
    admin_page.set_viewport_size({"width": 1280, "height": 900})
    active = "/admin/affiliates/affiliate/?status__exact=active"
    admin_page.goto(server.demo["api_base"] + active)
    admin_page.locator("#result_list tbody th a").first.click()
    admin_page.locator("summary", has_text="Actions").click()
    admin_page.get_by_role("link", name="Suspend…").wait_for()

    assert admin_page.evaluate("document.documentElement.scrollWidth") == 1280


@pytest.mark.usefixtures("brand")
@pytest.mark.parametrize(
    "listed",
    [
        "affiliates/affiliate",
        "affiliates/brand",
        "affiliates/commissionplan",
        "affiliates/orderreferral",
        "auth/group",
        "portal/user",
    ],
)
def test_page_of_a_row_fits_its_window(
    server: DemoServer, admin_page: Page, listed: str
) -> None:
    admin_page.goto(f"{server.demo['api_base']}/admin/{listed}/")
    first = admin_page.locator("#result_list tbody th a").first.get_attribute("href")
    for page in (first, "/admin/affiliates/brand/system/"):
        for width in (390, 1280):
            admin_page.set_viewport_size({"width": width, "height": 900})
            admin_page.goto(f"{server.demo['api_base']}{page}")

            assert admin_page.evaluate("document.documentElement.scrollWidth") == width


def test_form_of_an_affiliate_is_an_action_of_its_summary(
    server: DemoServer, admin_page: Page
) -> None:
    admin_page.goto(f"{server.demo['api_base']}/admin/affiliates/affiliate/")
    admin_page.locator("#result_list tbody th a").first.click()
    admin_page.get_by_role("link", name="Summary").wait_for()
    summary = admin_page.url
    admin_page.locator("summary", has_text="Actions").click()
    admin_page.get_by_role("link", name="Edit", exact=True).click()
    save = admin_page.get_by_role("button", name="Save", exact=True)
    save.wait_for()
    looks = Looks(admin_page)
    looks.at("affiliate-form")
    save.click()
    admin_page.get_by_role("link", name="Summary").wait_for()

    assert admin_page.url.partition("?")[0] == summary.partition("?")[0]
    looks.require_none()


def test_a_count_leads_to_as_many_rows(
    server: DemoServer, brand: int, admin_page: Page
) -> None:
    admin_page.goto(f"{server.demo['api_base']}/admin/?brand={brand}")
    waiting = admin_page.locator(".affiliates-queues a", has_text="to approve").first
    count = waiting.locator(".affiliates-count").inner_text()
    waiting.click()

    admin_page.locator("#result_list").wait_for()
    assert admin_page.locator("#result_list tbody tr").count() == int(count) == 3


def test_files_hold_what_the_list_shows(
    server: DemoServer, brand: int, admin_page: Page
) -> None:
    commissions = f"{server.demo['api_base']}/admin/affiliates/commission/"
    admin_page.goto(f"{commissions}?brand__id__exact={brand}")
    admin_page.locator("a", has_text="Filters").first.click()
    admin_page.get_by_title("Approved", exact=True).click()
    admin_page.wait_for_url("**status__exact=approved**")
    rows = admin_page.locator("#result_list tbody tr")
    shown = rows.evaluate_all(CELLS, list(COLUMNS.values()))

    as_csv = save(admin_page, "CSV").decode("utf-8-sig")
    assert [told(row) for row in csv.DictReader(as_csv.splitlines())] == shown
    book = load_workbook(BytesIO(save(admin_page, "XLSX")))
    header, *rest = book.active.values
    assert [told(dict(zip(header, row, strict=True))) for row in rest] == shown
    assert {row[-1] for row in shown} == {"Approved"}


def save(page: Page, file_format: str) -> bytes:
    with page.expect_download() as begun:
        page.get_by_role("link", name=file_format, exact=True).click()
    return begun.value.path().read_bytes()


def told(row: Mapping[str, Any]) -> list[str]:
    """A row of a file in the words of the list."""
    values = {
        name: f"€{Decimal(row[name]):,.2f}" if f"{name}: currency" in row else row[name]
        for name in COLUMNS
    }
    return list(values.values())
