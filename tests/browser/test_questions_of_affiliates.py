"""An affiliate's questions: each answered by the area in two clicks, and by SQL alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.affiliate_questions import QUESTIONS, Question
from tests.browser.asking import ask, follow_link, rows_of, told
from tests.browser.conftest import visiting
from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
MAX_CLICKS = 2
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:.*")


@pytest.fixture(scope="module")
def area_of(
    browser: Browser, year_server: DemoServer
) -> Iterator[Callable[[str], Page]]:
    """The page of an affiliate who has signed in, by code."""
    with ExitStack() as open_pages:

        @cache
        def area_of(code: str) -> Page:
            ((email,),) = ask(
                year_server,
                "SELECT u.email FROM portal_user u"
                " JOIN affiliate a ON a.user_id = u.id WHERE a.code = :who",
                who=code,
            )
            one = visiting(browser, "en-GB", year_server, email)
            return open_pages.enter_context(one)

        yield area_of


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_question_is_answered_in_two_clicks(
    question: Question, year_server: DemoServer, area_of: Callable[[str], Page]
) -> None:
    expected = ask(year_server, question.sql, who=question.who)
    page = area_of(question.who)
    page.goto(f"{year_server.origin}/affiliate/")

    for words in question.clicks:
        follow_link(page, words.format(*expected[0]))

    assert len(question.clicks) <= MAX_CLICKS
    if isinstance(question.answer, tuple):
        assert told(rows_of(page, question.answer)) == told(expected) != []
    else:
        sentences = [question.answer.format(*map(_spoken, row)) for row in expected]
        said = " ".join(page.locator("main").inner_text().split())
        assert [one for one in sentences if one not in said] == []
        assert sentences


def _spoken(value: Any) -> str:
    """As a page says it: an amount, a day, or the text itself."""
    if isinstance(value, int):
        return f"€{value / 100:,.2f}"
    if MOMENT.fullmatch(value):
        # The demonstration's days are those of UTC.
        day = datetime.fromisoformat(value)
        return f"{day.day} {day:%b %Y}"
    return str(value)
