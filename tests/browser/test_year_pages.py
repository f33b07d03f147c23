"""Every page of the area, the program, the shop and the desk, with a year's rows on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from docs.every_page import every_page
from tests.browser.amounts import cut_amounts
from tests.browser.conftest import logged_in, make_patient, person
from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SIZES = (1280, 390)
TOO_WIDE = "document.documentElement.scrollWidth > window.innerWidth"
# Of a webhook, which the affiliate has none of, and a payout while one is open.
ABSENT = {
    "/affiliate/webhook/secret",
    "/affiliate/webhook/test",
    "/affiliate/webhook/remove",
}


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_amounts_are_in_sight_and_no_page_is_wider_than_its_window(
    locale: str, browser: Browser, year_server: DemoServer
) -> None:
    pages = {one: _opened(browser, locale) for one in ("area", "program", "shop")}
    sign_in(pages["area"], year_server)
    faults, seen = [], 0

    for one in every_page(year_server.query):
        if one.part == "desk" or one.path in ABSENT:
            continue
        page = pages[one.visitor]
        answer = page.goto(year_server.origin + one.path)
        assert answer is not None
        faults += [] if answer.ok else [(one.path, answer.status)]
        faults += _faults_of(page, one.path)
        seen += 1

    assert faults == []
    assert seen > 40
    for page in pages.values():
        page.context.close()


def test_the_same_of_every_page_of_the_desk(
    browser: Browser, year_server: DemoServer
) -> None:
    faults, seen = [], 0

    with logged_in(browser, year_server) as page:
        for one in every_page(year_server.query):
            if one.part != "desk":
                continue
            answer = page.goto(year_server.demo["api_base"] + one.path)
            # Some rows are never added by hand, or have no such act.
            if answer is not None and answer.ok:
                faults += _faults_of(page, one.path)
                seen += 1

    assert faults == []
    assert seen > 150


def _faults_of(page: Page, path: str) -> list[Any]:
    faults: list[Any] = []
    for width in SIZES:
        page.set_viewport_size({"width": width, "height": 900})
        faults += [(path, width, cut) for cut in cut_amounts(page)]
        faults += [(path, width)] if page.evaluate(TOO_WIDE) else []
    return faults


def _opened(browser: Browser, locale: str) -> Page:
    context = browser.new_context(user_agent=person(browser), locale=locale)
    make_patient(context)
    return context.new_page()


def sign_in(page: Page, server: DemoServer) -> None:
    login = server.demo["affiliate"]
    page.goto(f"{server.origin}/login")
    page.fill("[name=email]", login["email"])
    page.fill("[name=password]", login["password"])
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/account")
