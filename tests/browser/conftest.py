"""A real Chromium, and what its tests share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import ClientArea
from tests.browser.demo_server import DemoServer, serve_demo
from tests.browser.rows import fill_beside
from tests.browser.visitor import Visitor
from tests.needs import find, require

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TIMEOUT_MS = 60_000
# The script gives a service three seconds. On a busy machine that says nothing of either:
# it has more here, unless a test turns the page's clock.
PATIENT = """
const later = window.setTimeout;
window.setTimeout = (act, ms, ...given) =>
    later(act, ms < 3000 ? ms : ms * (window.patience ?? 20), ...given);
"""
AS_IT_IS = "window.patience = 1"


def person(browser: Browser) -> str:
    """The user agent of a visible Chromium: a headless one counts as a bot."""
    major = browser.version.partition(".")[0]
    return (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        f"Chrome/{major}.0.0.0 Safari/537.36"
    )


def make_patient(context: BrowserContext) -> None:
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script(PATIENT)


@pytest.fixture(scope="session")
def chromium() -> str:
    return require("chromium")


@pytest.fixture(scope="session")
def quick_chromium(chromium: str) -> str:
    """Where it is installed the one without windows and settings: twice as fast."""
    return find("chromium-headless-shell") or chromium


# Not for the session: while playwright runs, Django refuses the database to the thread.
@pytest.fixture(scope="package")
def browser(quick_chromium: str) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=quick_chromium,
            args=CHROMIUM_ARGUMENTS,
            timeout=TIMEOUT_MS,
        )
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(user_agent=person(browser))
    make_patient(context)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def server(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoServer]:
    with serve_demo(tmp_path_factory.mktemp("demo")) as server:
        yield server


@pytest.fixture(scope="session")
def year_server(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoServer]:
    """The demonstration with its year, which nobody changes."""
    with serve_demo(tmp_path_factory.mktemp("year"), has_year=True) as server:
        yield server


@pytest.fixture(scope="session")
def desk_server(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoServer]:
    """One for the tests of the desk, whose brands would be in the way of all others.

    Each works on a brand of its own.
    """
    with serve_demo(tmp_path_factory.mktemp("desk")) as server:
        yield server


@pytest.fixture(scope="session")
def desk_brand(desk_server: DemoServer) -> int:
    """The brand of ``desk_rows`` there, which several modules read."""
    return fill_beside(desk_server.environment, "desk_rows")


@pytest.fixture
def visitor(page: Page, server: DemoServer) -> Visitor:
    return Visitor(page, server)


@pytest.fixture
def admin_page(browser: Browser, server: DemoServer) -> Iterator[Page]:
    """Of staff who have logged in."""
    with logged_in(browser, server) as page:
        yield page


@contextmanager
def logged_in(
    browser: Browser, server: DemoServer, who: Mapping[str, str] | None = None
) -> Iterator[Page]:
    """A page of the admin, in a browser of its own; without ``who`` the first of staff."""
    who = who or server.demo["admin"]
    context = browser.new_context(user_agent=person(browser))
    make_patient(context)
    page = context.new_page()
    admin = f"{server.demo['api_base']}/admin/"
    page.goto(admin)
    page.locator("[name=username]").fill(who["email"])
    page.locator("[name=password]").fill(who["password"])
    page.keyboard.press("Enter")
    page.wait_for_url(admin)
    yield page
    context.close()


@pytest.fixture
def client_area(context: BrowserContext) -> ClientArea:
    return ClientArea(context)
