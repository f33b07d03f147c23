"""No page loads or runs what its Content-Security-Policy refuses, and refusals are seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from docs.every_page import PARTS, every_page
from tests.browser.conftest import logged_in, make_patient, person
from tests.browser.demo_server import DemoServer
from tests.browser.test_year_pages import sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

# Those that docs/every_page.py leaves out, and refusals.
OTHERS = {
    "desk": (
        "password_change/",
        "second-factor/",
        "sessions/",
        "nothing/",
        "portal/user/nothing/",
        "confirm/",
    ),
    "area": ("nothing", "claims/00000000-0000-0000-0000-000000000000"),
    "program": ("nothing", "verify/nothing"),
    "shop": ("login", "nothing", "api/docs", "admin", "admin/login/"),
}
PREFIXES = {"desk": "/admin/", "area": "/affiliate/", "program": "/affiliate/"}
# Before the page's own scripts.
LISTEN = """addEventListener("securitypolicyviolation", (one) =>
    heard(`${location.pathname} ${one.violatedDirective} ${one.blockedURI}`))"""
PLANT = """() => document.body.append(document.createRange()
    .createContextualFragment("<script>window.isPlanted = true</script>"))"""
PATIENCE_SECONDS = 30


@pytest.mark.parametrize("part", PARTS)
def test_pages_are_refused_nothing_and_a_planted_script_is(
    part: str, browser: Browser, year_server: DemoServer
) -> None:
    received = year_server.reports.received
    received.clear()
    heard: list[str] = []
    base = year_server.demo["api_base"] if part == "desk" else year_server.origin
    paths = [one.path for one in every_page(year_server.query) if one.part == part]
    paths += [PREFIXES.get(part, "/") + path for path in OTHERS[part]]

    with _visitor(part, browser, year_server) as page:
        page.context.expose_function("heard", lambda said: heard.append(said))
        page.context.add_init_script(LISTEN)
        bare = [path for path in paths if not _is_guarded(page, base + path)]
        assert (bare, heard) == ([], [])

        page.evaluate(PLANT)
        # Sent after all reports of the pages before.
        _await(page, received)
        assert page.evaluate("window.isPlanted") is None

    where = paths[-1]
    assert heard == [f"{where} script-src-elem inline"]
    assert [(one["document-uri"], one["blocked-uri"]) for one in received] == [
        (base + where, "inline")
    ]
    assert len(paths) > {"desk": 150, "area": 30, "program": 4, "shop": 10}[part]


def _is_guarded(page: Page, url: str) -> bool:
    answer = page.goto(url, wait_until="load")
    assert answer is not None
    if url.endswith("/api/docs"):
        page.locator(".swagger-ui .info").wait_for()
    policy = answer.headers.get("content-security-policy", "")
    is_themed = "/admin/" in page.url
    assert ("unsafe-" in policy) == is_themed, page.url
    return policy.startswith("default-src 'none'; script-src 'self'")


@contextmanager
def _visitor(part: str, browser: Browser, server: DemoServer) -> Iterator[Page]:
    if part == "desk":
        with logged_in(browser, server) as page:
            yield page
        return
    context = browser.new_context(user_agent=person(browser))
    make_patient(context)
    page = context.new_page()
    if part != "program":
        sign_in(page, server)
    yield page
    context.close()


def _await(page: Page, received: list[object]) -> None:
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while not received and time.monotonic() < ends_at:
        page.wait_for_timeout(50)
