"""A real Chromium, and what its tests share."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from django.test import override_settings

from portal.demo.accounts import Login, login
from tests.browser.client_area import ClientArea
from tests.browser.demo_server import SECRET, DemoServer, serve_demo
from tests.browser.kept_year import copy_year
from tests.browser.rows import fill_beside
from tests.browser.visitor import Visitor
from tests.browser.walks import Walk, walk
from tests.needs import find, require

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, StorageState

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    # A browser that a program drives counts as a robot.
    "--disable-blink-features=AutomationControlled",
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
# A third of CONFIRMATION_SECONDS.
SESSION_SECONDS = 300
# Of staff, by the server and their e-mail, with the time of the login.
SESSIONS: dict[tuple[str, str], tuple[float, StorageState]] = {}


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
    folder = tmp_path_factory.mktemp("year")
    with serve_demo(folder, prepare=copy_year, background="") as server:
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
    return int(fill_beside(desk_server, "desk_rows"))


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
    """A page, of a browser of its own, for staff; without ``who`` the first of them."""
    session = _session_of(browser, server, who or server.demo["admin"])
    context = browser.new_context(user_agent=person(browser), storage_state=session)
    make_patient(context)
    yield context.new_page()
    context.close()


def _session_of(
    browser: Browser, server: DemoServer, who: Mapping[str, str]
) -> StorageState:
    """One login serves many tests, but not for as long as it confirms the person."""
    key = (server.origin, who["email"])
    began_at, session = SESSIONS.get(key, (-math.inf, None))
    if session is None or time.monotonic() - began_at > SESSION_SECONDS:
        session = _log_in(browser, f"{server.demo['api_base']}/admin/", who)
        SESSIONS[key] = (time.monotonic(), session)
    return session


def _log_in(browser: Browser, admin: str, who: Mapping[str, str]) -> StorageState:
    context = browser.new_context(user_agent=person(browser))
    make_patient(context)
    page = context.new_page()
    page.goto(admin)
    page.locator("[name=username]").fill(who["email"])
    page.locator("[name=password]").fill(who["password"])
    page.keyboard.press("Enter")
    page.wait_for_url(admin)
    session = context.storage_state()
    context.close()
    return session


def login_of(email: str) -> Login:
    with override_settings(SECRET_KEY=SECRET):
        return login(email)


@contextmanager
def visiting(
    browser: Browser, locale: str, server: DemoServer | None = None, email: str = ""
) -> Iterator[Page]:
    """A page of anybody, or of an affiliate signed in to ``server``: the first, or ``email``."""
    context = browser.new_context(user_agent=person(browser), locale=locale)
    make_patient(context)
    page = context.new_page()
    if server is not None:
        account = login_of(email or server.demo["affiliate"]["email"])
        page.goto(f"{server.origin}/login")
        page.fill("[name=email]", account.email)
        page.fill("[name=password]", account.password)
        page.press("[name=password]", "Enter")
        page.wait_for_url("**/account")
    yield page
    context.close()


@pytest.fixture(scope="package")
def desk_walk(browser: Browser, year_server: DemoServer) -> Walk:
    with logged_in(browser, year_server) as page:
        return walk(page, "desk", year_server)


@pytest.fixture(scope="package")
def area_walk(browser: Browser, year_server: DemoServer) -> Walk:
    with visiting(browser, "en-GB", year_server) as page:
        return walk(page, "area", year_server)


@pytest.fixture(scope="package")
def program_walk(browser: Browser, year_server: DemoServer) -> Walk:
    with visiting(browser, "en-GB") as page:
        return walk(page, "program", year_server)


@pytest.fixture(scope="package")
def shop_walk(browser: Browser, year_server: DemoServer) -> Walk:
    with visiting(browser, "en-GB", year_server) as page:
        return walk(page, "shop", year_server)


@pytest.fixture
def client_area(context: BrowserContext) -> ClientArea:
    return ClientArea(context)
