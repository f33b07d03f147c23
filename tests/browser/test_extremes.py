"""Names of 160 characters, Hebrew, yen and dinars, billions, and a day that is already
tomorrow: no page of the area and the desk breaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from docs.every_page import every_page
from tests.browser.conftest import logged_in, visiting
from tests.browser.demo_server import serve_demo
from tests.browser.kept_year import copy_year
from tests.browser.rows import fill_beside
from tests.browser.walks import visit
from tests.lengths import times

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.site, pytest.mark.long]


def test_no_page_breaks(
    browser: Browser, chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("extremes")
    with serve_demo(folder, prepare=copy_year, background="") as server:
        pages = {
            part: [page.path for page in every_page(server.query) if page.part == part]
            for part in ("area", "desk")
        }
        fill_beside(server, "extreme_rows")
        with (
            logged_in(browser, server) as staff,
            visiting(browser, "en-GB", server) as affiliate,
        ):
            visits = [
                visit(page, base, path)
                for part, page, base in (
                    ("area", affiliate, server.origin),
                    ("desk", staff, server.demo["api_base"]),
                )
                for path in pages[part][:: times(8, long=1)]
            ]
            affiliate.goto(f"{server.origin}/affiliate/")
            earned = affiliate.locator("main").inner_text()

    assert [visited.path for visited in visits if visited.status >= 500] == []  # noqa: PLR2004 - HTTP's
    # What is refused is the theme's page, which has no such texts.
    shown = [visited for visited in visits if visited.status < 400]  # noqa: PLR2004
    assert [fault for visited in shown for fault in visited.faults] == []
    assert "¥2,400,000,000" in earned
