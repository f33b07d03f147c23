"""What an operator sees every morning, in a real Chromium, by a busy brand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.accessibility import faults_of
from tests.browser.demo_server import DemoServer, serve_demo
from tests.browser.desk_rows import fill_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
# Where the pictures go to be looked at; nowhere unless it is set.
PICTURES = os.environ.get("PICTURES", "")
SIZES = {1280: 900, 390: 844}
PAGES = {
    "overview": "/admin/?brand={brand}",
    "days": "/admin/?brand={brand}&span=custom",
    "unearned": "/admin/affiliates/brand/unearned/?brand={brand}",
    "unearned-orders": (
        "/admin/affiliates/brand/unearned/?brand={brand}&cause=nobody:no_touch"
    ),
}


@pytest.fixture(scope="module")
def server(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoServer]:
    """A demonstration of its own: the rows of this one would be in others' way."""
    with serve_demo(tmp_path_factory.mktemp("desk")) as server:
        yield server


@pytest.fixture(scope="module")
def brand(server: DemoServer) -> int:
    return fill_beside(server.environment)


def pictured(page: Page, name: str, width: int, scheme: str) -> None:
    if PICTURES:
        file = Path(PICTURES) / f"desk-{name}-{width}-{scheme}.png"
        page.screenshot(path=file, full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_accessible_and_fit(
    server: DemoServer, brand: int, admin_page: Page, scheme: str
) -> None:
    said: list[str] = []
    admin_page.on("console", lambda one: said.append(one.text))
    admin_page.on("pageerror", lambda one: said.append(str(one)))
    admin_page.emulate_media(color_scheme=scheme)
    found: list[tuple[str, int, object]] = []
    for name, path in PAGES.items():
        for width, height in SIZES.items():
            admin_page.set_viewport_size({"width": width, "height": height})
            admin_page.goto(server.demo["api_base"] + path.format(brand=brand))
            admin_page.wait_for_function("!document.querySelector('[x-cloak]')")
            pictured(admin_page, name, width, scheme)
            found += [(name, width, fault) for fault in faults_of(admin_page)]
            wide = "document.documentElement.scrollWidth - window.innerWidth"
            if (too_wide := admin_page.evaluate(wide)) > 0:
                found.append((name, width, f"{too_wide} px too wide"))

    assert found == []
    assert said == []


def test_a_count_leads_to_as_many_rows(
    server: DemoServer, brand: int, admin_page: Page
) -> None:
    admin_page.goto(f"{server.demo['api_base']}/admin/?brand={brand}")
    waiting = admin_page.locator(".affiliates-queues a", has_text="to approve").first
    count = waiting.locator(".affiliates-count").inner_text()
    waiting.click()

    admin_page.locator("#result_list").wait_for()
    assert admin_page.locator("#result_list tbody tr").count() == int(count) == 3
