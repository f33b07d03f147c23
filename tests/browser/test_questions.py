"""An operator's questions: each answered by the desk in three clicks, and by SQL alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest

from tests.browser.asking import ask, follow_link, link_of, rows_of, told, value_of
from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer
from tests.browser.questions import GIVEN, QUESTIONS, Question

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
MAX_CLICKS = 3


@pytest.fixture(scope="module")
def server(year_server: DemoServer) -> DemoServer:
    return year_server


@pytest.fixture(scope="module")
def first_page(browser: Browser, server: DemoServer) -> Iterator[Page]:
    """Stays open: its figures take longer than most answers."""
    with logged_in(browser, server) as page:
        page.goto(f"{server.demo['api_base']}/admin/")
        yield page


@pytest.fixture(scope="module")
def desk(first_page: Page) -> Page:
    return first_page.context.new_page()


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_question_is_answered_in_three_clicks(
    question: Question, server: DemoServer, first_page: Page, desk: Page
) -> None:
    expected = ask(server, question.sql)

    follow(first_page, desk, question.clicks)

    answer = rows_of(desk, question.columns)
    assert len(question.clicks) <= MAX_CLICKS
    assert told(answer) == told(expected) != []
    if question.is_ranked:
        ranked = [value_of(row[1]) for row in answer]
        assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize("_case", GIVEN)
def test_is_given_to_another_affiliate_from_its_own_page(
    _case: str, first_page: Page, desk: Page
) -> None:
    listed, words, field = GIVEN[_case]

    follow(first_page, desk, [listed])
    desk.locator("#result_list tbody th a").first.click()
    follow_link(desk, words)

    # A field, or the box of a list to choose from, which is more elements than one.
    assert desk.get_by_label(field).first.is_visible()


def follow(first_page: Page, desk: Page, clicks: Sequence[str]) -> None:
    """Opens the first link in another tab, and clicks the others there."""
    href = link_of(first_page, clicks[0]).get_attribute("href")
    desk.goto(urljoin(first_page.url, href))
    for words in clicks[1:]:
        follow_link(desk, words)
