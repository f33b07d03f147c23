"""One walk through all pages of a part, with a year's rows on them, for several tests."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from docs.every_page import every_page
from tests.browser.accessibility import faults_of
from tests.browser.amounts import cut_amounts
from tests.browser.demo_server import DemoServer
from tests.lengths import IS_LONG, times

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = (1280, 390)
# Django's box of two lists, and the head of unfold's rows, whose last column has no name.
OF_THEME = (".selector", "[data-inline-type='tabular'] thead")
TOO_WIDE = "document.documentElement.scrollWidth > window.innerWidth"
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
# Of so many pages one is looked at; of the others each, and each by `make test-long`.
STEPS = {"desk": times(4, long=1)}
PREFIXES = {"desk": "/admin/", "area": "/affiliate/", "program": "/affiliate/"}
# Before the page's own scripts.
LISTEN = """addEventListener("securitypolicyviolation", (one) =>
    heard(`${location.pathname} ${one.violatedDirective} ${one.blockedURI}`))"""
PLANT = """() => document.body.append(document.createRange()
    .createContextualFragment("<script>window.isPlanted = true</script>"))"""
PATIENCE_SECONDS = 30


class Visit(NamedTuple):
    """``faults`` are amounts that are cut, widths that the page exceeds, and, by
    `make test-long`, what axe-core finds."""

    path: str
    status: int
    url: str
    policy: str
    faults: list[object]

    @property
    def is_ok(self) -> bool:
        return self.status < 400  # noqa: PLR2004 - HTTP's


@dataclass
class Walk:
    """``refused`` is what the pages' policies refused; at last a planted script."""

    base: str
    visits: list[Visit] = field(default_factory=list)
    others: list[Visit] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    refused_at_last: list[str] = field(default_factory=list)
    reports: list[tuple[str, str]] = field(default_factory=list)
    is_planted: bool = True


def walk(page: Page, part: str, server: DemoServer) -> Walk:
    received = server.reports.received
    received.clear()
    heard: list[str] = []
    page.context.expose_function("heard", lambda said: heard.append(said))
    page.context.add_init_script(LISTEN)
    taken = Walk(server.demo["api_base"] if part == "desk" else server.origin)
    pages = [listed.path for listed in every_page(server.query) if listed.part == part]
    for path in pages[:: STEPS.get(part, 1)]:
        taken.visits.append(visit(page, taken.base, path))
    for path in OTHERS[part]:
        taken.others.append(visit(page, taken.base, PREFIXES.get(part, "/") + path))
    taken.refused = heard[:]

    page.evaluate(PLANT)
    # Sent after all reports of the pages before.
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while not received and time.monotonic() < ends_at:
        page.wait_for_timeout(50)
    taken.is_planted = page.evaluate("window.isPlanted") is not None
    taken.refused_at_last = heard[len(taken.refused) :]
    taken.reports = [(one["document-uri"], one["blocked-uri"]) for one in received]
    return taken


def visit(page: Page, base: str, path: str) -> Visit:
    answer = page.goto(base + path)
    assert answer is not None
    if path.endswith("/api/docs"):
        page.locator(".swagger-ui .info").wait_for()
    policy = answer.headers.get("content-security-policy", "")
    return Visit(path, answer.status, page.url, policy, _faults_of(page, path))


def _faults_of(page: Page, path: str) -> list[object]:
    faults: list[object] = []
    if IS_LONG:
        broken = faults_of(page, without=OF_THEME, has_practices=True)
        faults += [(path, rule) for rule in broken]
    for width in SIZES:
        page.set_viewport_size({"width": width, "height": 900})
        faults += [(path, width, cut) for cut in cut_amounts(page)]
        faults += [(path, width)] if page.evaluate(TOO_WIDE) else []
    return faults
