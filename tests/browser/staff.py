"""Somebody of the staff at the pages of the admin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.desk_pages import Looks
from tests.lengths import IS_LONG

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Staff:
    def __init__(self, page: Page, admin: str, topic: str) -> None:
        self.page, self.admin, self.topic = page, admin, topic
        self.looks = Looks(page)

    def open(self, path: str) -> None:
        self.page.goto(self.admin + path)

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def confirm(self, button: str) -> None:
        form = self.page.locator("form#confirm")
        form.get_by_role("button", name=button, exact=True).click()

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def table(self, heading: str) -> list[list[str]]:
        """The cells of the table of which a column has this heading."""
        column = self.page.locator("th", has_text=heading)
        rows = self.page.locator("table").filter(has=column).first.locator("tbody tr")
        cells = (
            "rows => rows.map(row => [...row.cells].map(one => one.innerText.trim()))"
        )
        found: list[list[str]] = rows.evaluate_all(cells)
        return found

    def look(self, name: str, *, is_plain: bool = False) -> None:
        """At the page as it is; plain ones, of which others are alike, in the long form."""
        if IS_LONG or not is_plain:
            self.looks.at(f"{self.topic}-{name}")
