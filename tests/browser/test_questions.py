"""An operator's questions: each answered by the desk in three clicks, and by SQL alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer
from tests.browser.questions import GIVEN, QUESTIONS, Question

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
MAX_CLICKS = 3


CELLS = """(tables, names) => {
    const words = (cell) => {
        const copy = cell.cloneNode(true);
        const beside = ".affiliates-place, .affiliates-quiet, .material-symbols-outlined";
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


@pytest.fixture(scope="module")
def server(year_server: DemoServer) -> DemoServer:
    return year_server


@pytest.fixture(scope="module")
def desk(browser: Browser, server: DemoServer) -> Iterator[Page]:
    with logged_in(browser, server) as page:
        yield page


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_question_is_answered_in_three_clicks(
    question: Question, server: DemoServer, desk: Page
) -> None:
    expected = [_values(row) for row in _ask(server, question.sql)]

    follow(desk, server, question.clicks)

    found: Any = desk.locator("table").evaluate_all(CELLS, list(question.columns))
    assert found is not None, "no table has these columns"
    answer = [_values(row) for row in found]
    assert len(question.clicks) <= MAX_CLICKS
    assert sorted(filter(_says, answer)) == sorted(filter(_says, expected)) != []
    if question.is_ranked:
        ranked = [row[1] for row in answer]
        assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize("_case", GIVEN)
def test_is_given_to_another_affiliate_from_its_own_page(
    _case: str, server: DemoServer, desk: Page
) -> None:
    listed, words, field = GIVEN[_case]

    follow(desk, server, [listed])
    desk.locator("#result_list tbody th a").first.click()
    follow_link(desk, words)

    assert desk.get_by_label(field).is_visible()


def follow(page: Page, server: DemoServer, clicks: Sequence[str]) -> None:
    page.goto(f"{server.demo['api_base']}/admin/")
    for words in clicks:
        follow_link(page, words)


def follow_link(page: Page, words: str) -> None:
    """One on the page itself, or else in the navigation; a count may stand beside it."""
    named = re.compile(rf"(^|\s){re.escape(words)}(\s+\d+)?\s*$")
    links = page.locator("a:visible")
    said = page.get_by_text(words, exact=True)
    found = (
        links.filter(has_text=named)
        .or_(links.and_(page.get_by_label(words)))
        .or_(links.filter(has=said))
    )
    own = page.locator("#content-main, #content").locator(found)
    link: Locator = own if own.count() else found
    before = page.url
    link.first.click()
    page.wait_for_url(lambda url: url != before)


def _ask(server: DemoServer, sql: str) -> list[tuple[Any, ...]]:
    ours = r"\b(FROM|JOIN) (?!portal_|auditlog_)(\w+)"
    sql = re.sub(ours, r"\1 affiliates_\2", sql)
    days = _days(datetime.now(tz=UTC).date())
    return server.query(re.sub(r":(\w+)", lambda found: f"'{days[found[1]]}'", sql))


def _days(today: date) -> dict[str, date]:
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


def _values(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(_value, row))


def _value(cell: Any) -> str | Decimal:
    """A number as it is meant, whether a page or the database says it."""
    if cell in (None, "-"):
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
