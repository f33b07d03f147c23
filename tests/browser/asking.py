"""Questions asked of the demonstration's pages by clicks, and of its database by SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

CELLS = """(tables, names) => {
    const words = (cell) => {
        const copy = cell.cloneNode(true);
        const beside = ".quiet, .affiliates-place, .affiliates-quiet, .material-symbols-outlined";
        copy.querySelectorAll(beside).forEach((one) => one.remove());
        return copy.textContent.trim().replace(/\\s+/g, " ");
    };
    for (const table of tables) {
        const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map(words);
        const places = names.map((name) => heads.indexOf(name));
        if (!places.includes(-1)) {
            const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
            return rows.map((row) => places.map((place) => words(row.cells[place])));
        }
    }
    return null;
}"""
NUMBER = re.compile(r"(-?)[€$]?([\d,]+(?:\.\d+)?)(?: %)?")


def rows_of(page: Page, columns: Sequence[str]) -> list[list[str]]:
    """The cells of these columns, of the first table that has them."""
    found: Any = page.locator("table").evaluate_all(CELLS, list(columns))
    assert found is not None, "no table has these columns"
    return list(found)


def follow_link(page: Page, words: str) -> None:
    before = page.url
    link_of(page, words).click()
    page.wait_for_url(lambda url: url != before)


def link_of(page: Page, words: str) -> Locator:
    """One on the page itself, or else in the navigation; a count may stand beside it."""
    named = re.compile(rf"(^|\s){re.escape(words)}(\s+\d+)?\s*$")
    links = page.locator("a:visible")
    said = page.get_by_text(words, exact=True)
    found = (
        links.filter(has_text=named)
        .or_(links.and_(page.get_by_label(words)))
        .or_(links.filter(has=said))
    )
    own = page.locator("#content-main, #content, main").locator(found)
    return (own if own.count() else found).first


def ask(server: DemoServer, sql: str, **names: str) -> list[tuple[Any, ...]]:
    """``:name`` is one of ``names``, or a day; the tables' names are short."""
    ours = r"\b(FROM|JOIN) (?!portal_|auditlog_)(\w+)"
    sql = re.sub(ours, r"\1 affiliates_\2", sql)
    known = _days(datetime.now(tz=UTC).date()) | names
    return server.query(re.sub(r":([a-z]\w*)", lambda one: f"'{known[one[1]]}'", sql))


def _days(today: date) -> dict[str, object]:
    month = today.replace(day=1)
    return {
        "days_30": today - timedelta(days=29),
        "days_90": today - timedelta(days=89),
        "days_180": today - timedelta(days=179),
        "tomorrow": today + timedelta(days=1),
        "in_8_days": today + timedelta(days=8),
        "month": month,
        "last_month": (month - timedelta(days=1)).replace(day=1),
    }


def told(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Rows with values as meant, in one order, without those of zeros."""
    return sorted(filter(_says, (tuple(map(value_of, row)) for row in rows)))


def value_of(cell: Any) -> str | Decimal:
    """A number as it is meant, whether a page or the database says it."""
    if cell in (None, "-", "–"):
        return Decimal(0)
    if isinstance(cell, (int, float)):
        return round(Decimal(str(cell)), 2)
    if not (found := NUMBER.fullmatch(cell)):
        return str(cell)
    return round(
        Decimal(found[1] + found[2].replace(",", "")), 1 if cell.endswith("%") else 2
    )


def _says(row: tuple[Any, ...]) -> bool:
    """Whether it names something that is not all zeros."""
    key, *values = row
    return bool(key) and (not values or any(value != 0 for value in values))
