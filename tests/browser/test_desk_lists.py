"""What is set above a long list, and the views that staff keep, in a real Chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer
from tests.browser.staff import Staff

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
LIST = "/admin/affiliates/commission/"
SET = ".affiliates-set a"
RANKING = "/admin/affiliates/brand/ranking/?brand={brand}"
COHORTS = "/admin/affiliates/brand/cohorts/?brand={brand}"
TABLES = (
    RANKING,
    COHORTS,
    *(
        f"/admin/affiliates/{name}/"
        for name in ("affiliate", "commission", "orderreferral", "sale")
    ),
)
# The widest table's pixels beyond the edge of what it scrolls in.
TOO_WIDE = """() => Math.max(...[...document.querySelectorAll("table")].map((table) => {
    const around = table.closest(".affiliates-scroll, .simplebar-content-wrapper");
    return around.scrollWidth - around.clientWidth;
}))"""
# How far the cell is from the edge once all is scrolled, and the line beside it.
SCROLLED = """async (th) => {
    const around = th.closest(".affiliates-scroll, .simplebar-content-wrapper");
    around.scrollLeft = 5000;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const away = th.getBoundingClientRect().left - around.getBoundingClientRect().left;
    return [Math.round(away), getComputedStyle(th).boxShadow.match(/1px/)?.[0]];
}"""


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


def test_last_columns_are_in_sight(
    server: DemoServer, admin_page: Page, desk_brand: int
) -> None:
    admin_page.set_viewport_size({"width": 1280, "height": 900})
    hidden = {}
    for path in TABLES:
        admin_page.goto(server.demo["api_base"] + path.format(brand=desk_brand))
        admin_page.locator("table").first.wait_for()
        hidden[path] = admin_page.evaluate(TOO_WIDE)

    assert hidden == dict.fromkeys(TABLES, 0)


def test_a_year_of_cohorts_is_in_sight(
    browser: Browser, year_server: DemoServer
) -> None:
    with logged_in(browser, year_server) as page:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(year_server.demo["api_base"] + "/admin/affiliates/brand/cohorts/")

        assert page.locator("thead th").count() == 16
        assert page.evaluate(TOO_WIDE) == 0


def test_a_long_name_leaves_the_numbers_of_the_ranking_in_sight(
    server: DemoServer, admin_page: Page, desk_brand: int
) -> None:
    admin_page.set_viewport_size({"width": 1280, "height": 900})
    admin_page.goto(server.demo["api_base"] + RANKING.format(brand=desk_brand))
    name = admin_page.locator(".affiliates-name").first
    name.evaluate("(name) => name.append('x'.repeat(160))")

    assert admin_page.evaluate(TOO_WIDE) == 0
    assert name.evaluate("(name) => name.offsetHeight") == 40
    assert name.get_attribute("title")


@pytest.mark.parametrize("path", [COHORTS, LIST])
def test_first_column_stays_while_the_others_scroll(
    server: DemoServer, admin_page: Page, desk_brand: int, path: str
) -> None:
    admin_page.set_viewport_size({"width": 1030, "height": 900})
    admin_page.goto(server.demo["api_base"] + path.format(brand=desk_brand))
    row = admin_page.locator("table tbody th").first
    row.evaluate("(th) => th.closest('table').style.minWidth = '2000px'")

    assert row.evaluate(SCROLLED) == [0, "1px"]
