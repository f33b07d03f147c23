"""An operator imports thousands of affiliates, some rows bad, in a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.accessibility import faults_of
from tests.browser.demo_server import DemoServer, serve_demo
from tests.browser.import_clients import EMAIL
from tests.browser.rows import fill_beside
from tests.lengths import IS_LONG, times

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.long]
COUNT = times(1_000, long=10_000)
BAD = 37
# Where the pictures go to be looked at; nowhere unless it is set.
PICTURES = os.environ.get("PICTURES", "")
SIZES = {1280: 900, 390: 844}
WAYS: list[tuple[int, Any]] = [(1280, "light"), (390, "dark")]
WAYS += [(1280, "dark"), (390, "light")] if IS_LONG else []
AFFILIATES = "SELECT count(*) FROM affiliates_affiliate WHERE code LIKE 'imported-%'"


@pytest.fixture(scope="module")
def server(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoServer]:
    """A demonstration of its own, with the worker beside it."""
    folder = tmp_path_factory.mktemp("imports")
    with serve_demo(folder, background="affiliates_worker") as server:
        fill_beside(server, "import_clients", COUNT)
        yield server


class Looked:
    """What was said and what was wrong with the pages that were looked at."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.found: list[tuple[str, str, int, object]] = []
        page.on("console", lambda one: self.said.append(one.text))
        page.on("pageerror", lambda one: self.said.append(str(one)))

    def look(self, name: str) -> None:
        for width, scheme in WAYS:
            self.page.emulate_media(color_scheme=scheme)
            self.page.set_viewport_size({"width": width, "height": SIZES[width]})
            self.page.reload()
            self.page.wait_for_function("!document.querySelector('[x-cloak]')")
            if PICTURES:
                file = Path(PICTURES) / f"import-{name}-{width}-{scheme}.png"
                self.page.screenshot(path=file, full_page=True)
            wide = "document.documentElement.scrollWidth - window.innerWidth"
            faults: list[object] = [*faults_of(self.page)]
            if (too_wide := self.page.evaluate(wide)) > 0:
                faults.append(f"{too_wide} px too wide")
            self.found += [(name, scheme, width, fault) for fault in faults]
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.reload()


def file_of_affiliates() -> bytes:
    """Every so many rows name nobody's client."""
    bad = set(range(0, BAD * 20, 20))
    rows = [
        f"{'nobody' if number in bad else ''}{EMAIL.format(number)},imported-{number}"
        for number in range(COUNT)
    ]
    return "\r\n".join(["email;code", *(row.replace(",", ";") for row in rows)]).encode(
        "utf-8-sig"
    )


def open_form(page: Page, api: str) -> None:
    page.goto(f"{api}/admin/affiliates_imports/importfile/")
    page.get_by_role("link", name="Import a file").first.click()
    page.get_by_text("You see what each row would do").wait_for()


def upload(page: Page) -> None:
    page.get_by_label("Brand").select_option(label="Nordlicht Hosting")
    page.locator("input[type=file]").set_input_files(
        {
            "name": "affiliates.csv",
            "mimeType": "text/csv",
            "buffer": file_of_affiliates(),
        }
    )
    page.get_by_role("button", name="Check it").click()


def test_affiliates_are_imported_without_the_bad_rows(
    server: DemoServer, admin_page: Page
) -> None:
    page, api = admin_page, server.demo["api_base"]
    looked = Looked(page)
    open_form(page, api)
    looked.look("upload")

    upload(page)
    page.get_by_text("lines are checked.").wait_for()
    # The page looks again by itself until the worker has checked it.
    page.get_by_text("Nothing is imported yet.").wait_for()
    looked.look("checked")
    shown = page.locator("table.affiliates-table tbody tr")
    assert shown.count() == BAD
    first = "Nobody of this brand's clients is nobodyclient-0@example.com."
    assert first in shown.first.inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="All of them as CSV").click()
    assert len(download.value.path().read_text("utf-8-sig").splitlines()) == BAD + 1

    page.get_by_role("link", name="Import", exact=True).first.click()
    page.get_by_label("Leave the bad rows out").wait_for()
    looked.look("confirm")
    page.get_by_label("Leave the bad rows out").check()
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("All of it is imported at once, or nothing.").wait_for()
    page.get_by_role("heading", name="Imported", exact=True).wait_for()
    looked.look("done")
    assert server.query(AFFILIATES) == [(COUNT - BAD,)]

    open_form(page, api)
    upload(page)
    page.get_by_text("There is nothing to import in it.").wait_for()
    counts = page.locator("dl.affiliates-facts").first.inner_text().split("\n")
    assert f"{COUNT - BAD:,}" in counts
    assert server.query(AFFILIATES) == [(COUNT - BAD,)]

    assert list(map(str, looked.found)) == []
    assert looked.said == []
