"""The affiliate's area with scripts: lists and trials without a new page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.accessibility import faults_of
from tests.browser.area_staff import make_links
from tests.browser.conftest import make_patient, person
from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

THEMES = ("dark", "light")
FOCUS = "document.activeElement.id || document.activeElement.ariaLabel"
UNSORTED = "document.querySelector('main [name=ordering]').value === ''"
TOP = "document.activeElement.getBoundingClientRect().top"
# Two pages of them, whatever the demonstration has made.
LINKS = 60
FIRST, SECOND = "Page 1 of 2", "Page 2 of 2"
UNREACHABLE = "The server cannot be reached. Nothing has changed: try again."
TOO_OFTEN = "Too many requests. Wait a minute and try again."
FAILED = "That did not work. Load the page again."


class Affiliate:
    """The demonstration's, signed in, who notes what the console says."""

    def __init__(self, page: Page, server: DemoServer) -> None:
        self.page = page
        self.server = server
        self.faults: list[str] = []
        page.on("console", lambda one: self.faults.append(one.text))
        page.on("pageerror", lambda one: self.faults.append(str(one)))
        self.sign_in("/affiliate/links")

    def sign_in(self, path: str) -> None:
        login = self.server.demo["affiliate"]
        self.page.goto(self.server.origin + path)
        self.page.locator("main [name=email]").fill(login["email"])
        self.page.locator("main [name=password]").fill(login["password"])
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(self.server.origin + path)

    def open(self, path: str) -> None:
        """From here on no other document is loaded, as ``is_same_page`` says."""
        self.page.goto(self.server.origin + path)
        self.page.evaluate("window.mark = 1")

    def is_same_page(self) -> bool:
        return bool(self.page.evaluate("window.mark === 1"))

    def hears(self, words: str, *, role: str = "#said") -> None:
        self.page.locator(role, has_text=words).wait_for(state="attached")

    def look(self) -> None:
        for theme in THEMES:
            self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type] # one of two
            self.faults += faults_of(self.page, only_colours=theme == "dark")


@pytest.fixture
def affiliate(browser: Browser, server: DemoServer) -> Iterator[Affiliate]:
    context = browser.new_context(user_agent=person(browser), locale="en-GB")
    make_patient(context)
    yield Affiliate(context.new_page(), server)
    context.close()


@pytest.fixture(scope="module")
def links(server: DemoServer) -> None:
    make_links(server, server.demo["affiliate"]["email"], LINKS)


@pytest.mark.usefixtures("links")
def test_a_list_is_sorted_and_paged_and_back_leads_back(affiliate: Affiliate) -> None:
    page = affiliate.page
    affiliate.open("/affiliate/links")

    page.locator("main [name=ordering]").select_option("name")
    page.locator("#show").press("Enter")
    page.wait_for_url("**/links?is_active=&ordering=name")
    affiliate.hears(FIRST)
    shown = page.locator("main tbody th a").first.inner_text()
    focus = page.evaluate(FOCUS)
    page.locator("main a[rel=next]").press("Enter")
    page.wait_for_url("**&page=2")
    affiliate.hears(SECOND)
    language = page.locator("#next").input_value()
    page.locator("main table [data-copies]").first.click()
    page.locator("main table [data-copies]", has_text="Copied").wait_for()

    assert affiliate.is_same_page()
    assert (shown, focus) == ("A000", "show")
    assert language == "/affiliate/links?is_active=&ordering=name&page=2"
    assert page.evaluate("JSON.stringify(localStorage)") == "{}"
    assert page.evaluate("sessionStorage.getItem('htmx-history-cache')") is None
    affiliate.look()
    page.go_back()
    page.locator(".pages", has_text=FIRST).wait_for()
    assert page.url.endswith("/links?is_active=&ordering=name")
    page.locator("main tbody th a", has_text="A000").wait_for()
    page.go_back()
    page.wait_for_url(f"{affiliate.server.origin}/affiliate/links")
    page.wait_for_function(UNSORTED)
    assert affiliate.faults == []


@pytest.mark.usefixtures("links")
def test_who_goes_on_in_a_list_is_led_to_its_beginning(affiliate: Affiliate) -> None:
    page = affiliate.page
    affiliate.open("/affiliate/links")

    page.locator("main a[rel=next]").press("Enter")
    affiliate.hears(SECOND)

    assert affiliate.is_same_page()
    assert page.evaluate(FOCUS) == "All links"
    assert abs(page.evaluate(TOP)) < 1


def test_an_address_is_tried_while_it_is_typed(affiliate: Affiliate) -> None:
    page = affiliate.page
    affiliate.open("/affiliate/links/new")
    target = page.locator("[name=target_url]")

    target.press_sequentially("https://evil.example/")
    affiliate.hears("no redirect target", role="#id_target_url_faults")
    refused = target.get_attribute("aria-invalid")
    affiliate.look()
    target.fill(f"{affiliate.server.origin}/plans")
    affiliate.hears("The page that you chose.", role="#trial")

    assert affiliate.is_same_page()
    assert page.evaluate(FOCUS) == "id_target_url"
    assert target.input_value() == f"{affiliate.server.origin}/plans"
    assert page.locator("#id_target_url_faults").inner_text() == ""
    assert (refused, target.get_attribute("aria-invalid")) == ("true", "false")
    affiliate.look()
    target.fill("")
    page.locator("#try").press("Enter")
    affiliate.hears("The usual first page.", role="#trial")
    assert affiliate.is_same_page()
    assert page.evaluate(FOCUS) == "try"
    assert affiliate.faults == []


@pytest.mark.usefixtures("links")
def test_what_fails_is_said_and_a_lost_session_leads_to_the_login(
    affiliate: Affiliate,
) -> None:
    page = affiliate.page
    affiliate.open("/affiliate/links")
    older = page.locator("main a[rel=next]")

    statuses = iter([429, 500])
    page.route("**page=2", lambda route: route.abort(), times=1)
    older.press("Enter")
    affiliate.hears(UNREACHABLE, role="#failed")
    page.route("**page=2", lambda route: route.fulfill(status=next(statuses)), times=2)
    for said in (TOO_OFTEN, FAILED):
        older.press("Enter")
        affiliate.hears(said, role="#failed")
    # The browser and htmx have said so themselves.
    affiliate.faults.clear()
    affiliate.look()
    kept = (affiliate.is_same_page(), page.url, page.evaluate(FOCUS))
    page.context.clear_cookies()
    older.press("Enter")
    page.wait_for_url("**/login?next=/affiliate/links")

    assert kept == (True, f"{affiliate.server.origin}/affiliate/links", None)
    assert page.locator("main table").count() == 0
    assert affiliate.faults == []
