"""A stranger becomes an affiliate, sends a visitor and is paid, on the area's own pages.

In English with scripts, each page looked at wide and light, narrow and dark (in the long
form all four); in German without scripts, narrow.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.browser.accessibility import faults_of
from tests.browser.amounts import cut_amounts
from tests.browser.area_staff import approve, mailed_link, pay
from tests.browser.conftest import make_patient, person
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import PASSWORD, Visitor
from tests.lengths import IS_LONG

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

# Where the pictures go to be looked at; nowhere unless it is set.
PICTURES = os.environ.get("PICTURES", "")
THEMES = ("dark", "light")
TOO_WIDE = "document.documentElement.scrollWidth - window.innerWidth"
# What a key cannot reach, or what does not show that a key has reached it.
BEYOND_KEYS = """() => [...document.querySelectorAll(
        "a[href], button, input:not([type=hidden], .trap), select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !one.disabled)
    .filter((one) => {
        one.focus();
        const isSeen = getComputedStyle(one).outlineStyle !== "none";
        const isReached = one.tabIndex >= 0 && document.activeElement === one;
        one.blur();
        return !(isSeen && isReached);
    }).map((one) => one.outerHTML.slice(0, 200))"""


@dataclass(frozen=True)
class Way:
    """How somebody comes to the pages, and what they read there."""

    locale: str
    widths: tuple[int, ...]
    has_scripts: bool
    credited: str
    paid: str


WAYS = {
    "english": Way(
        "en-GB",
        (390, 1280),
        has_scripts=True,
        credited="This order is credited to you.",
        paid="Paid",
    ),
    "german": Way(
        "de-DE",
        (390,),
        has_scripts=False,
        credited="Diese Bestellung ist Ihnen gutgeschrieben.",
        paid="Bezahlt",
    ),
}


@dataclass
class Partner:
    """Somebody at the area, who looks at every page that is opened."""

    page: Page
    server: DemoServer
    way: Way
    code: str = field(default_factory=lambda: f"p-{uuid.uuid4().hex[:12]}")
    faults: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda one: self.faults.append(one.text))
        self.page.on("pageerror", lambda one: self.faults.append(str(one)))

    @property
    def email(self) -> str:
        return f"{self.code}@example.com"

    def open(self, path: str) -> None:
        self.page.goto(self.server.origin + path)
        self.look(path)

    def fill(self, **fields: str) -> None:
        for name, text in fields.items():
            self.page.locator(f"main [name={name}]").fill(text)

    def send(self) -> None:
        self.follow(
            self.page.locator("main form:not(.filters) button[type=submit]").first
        )

    def follow(self, control: Locator) -> None:
        """Where a button or a link leads, without a mouse."""
        control.focus()
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def sees(self, text: str) -> None:
        self.page.locator("main").get_by_text(text).first.wait_for()

    def draw(self, name: str) -> None:
        seen = Image.open(BytesIO(self.page.screenshot(full_page=True)))
        few = seen.convert("RGB").quantize(32, dither=Image.Dither.NONE)
        few.save(Path(PICTURES) / name, optimize=True)

    def look(self, path: str) -> None:
        name = re.sub(r"[^a-z]+", "-", path.removeprefix("/affiliate")).strip("-")
        name = name or "overview"
        if self.way.has_scripts:
            self.page.keyboard.press("Tab")
            beyond = self.page.evaluate(BEYOND_KEYS)
            self.faults += [(path, "beyond keys", one) for one in beyond]
        for width in self.way.widths:
            self.page.set_viewport_size({"width": width, "height": 900})
            if self.page.evaluate(TOO_WIDE) > 0:
                self.faults.append((path, width, "too wide"))
            for theme in THEMES if IS_LONG or PICTURES else THEMES[width > 390 :][:1]:
                self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type] # one of two
                if PICTURES:
                    self.draw(f"{name}-{self.way.locale}-{width}-{theme}.png")
                # What looks for faults is a script itself.
                if self.way.has_scripts:
                    self.faults += [(path, width, one) for one in faults_of(self.page)]
                cut = cut_amounts(self.page)
                self.faults += [(path, width, "cut", one) for one in cut]


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def partner(
    request: pytest.FixtureRequest, browser: Browser, server: DemoServer
) -> Iterator[Partner]:
    way: Way = request.param
    context = browser.new_context(
        user_agent=person(browser),
        locale=way.locale,
        java_script_enabled=way.has_scripts,
    )
    make_patient(context)
    yield Partner(context.new_page(), server, way)
    context.close()


def test_a_stranger_applies_sends_a_visitor_and_is_paid(
    partner: Partner, visitor: Visitor, server: DemoServer
) -> None:
    _apply(partner)
    approve(server, partner.code)
    address = _make_link(partner)

    visitor.open(address.removeprefix(server.origin))
    visitor.choose("Domain .com")
    visitor.complete_registration()
    visitor.pay()

    _read_why(partner)
    _ask_for_payout(partner)
    pay(server, partner.code)
    _print_statement(partner)
    for path in _named_in_navigation(partner):
        partner.open(path)
    assert partner.faults == []


def _named_in_navigation(partner: Partner) -> list[str]:
    partner.open("/affiliate/")
    named = partner.page.locator("nav a[href^='/affiliate/']").all()
    return [str(one.get_attribute("href")) for one in named]


def _apply(partner: Partner) -> None:
    partner.open("/affiliate/program")
    partner.open("/affiliate/apply")
    # Nobody fills in a form sooner: spam does.
    partner.page.wait_for_timeout(3_500)
    partner.fill(firstname="Ada", lastname="Example", email=partner.email)
    partner.send()
    partner.look("sent")
    partner.page.goto(mailed_link(partner.server, partner.email, "/affiliate/confirm/"))
    partner.look("confirm")
    partner.fill(password=PASSWORD, code=partner.code)
    partner.send()
    partner.look("joined")
    partner.page.goto(f"{partner.server.origin}/affiliate/")
    partner.fill(email=partner.email, password=PASSWORD)
    partner.send()
    partner.look("waiting")


def _make_link(partner: Partner) -> str:
    """Its address."""
    partner.open("/affiliate/links/new")
    partner.fill(name="Blog footer", target_url=f"{partner.server.origin}/plans")
    partner.send()
    partner.open("/affiliate/links")
    address = partner.page.locator("main table input[readonly]").first
    return address.input_value()


def _read_why(partner: Partner) -> None:
    partner.open("/affiliate/orders")
    partner.follow(partner.page.locator("main table a").first)
    partner.look("order")
    partner.sees(partner.way.credited)
    partner.open("/affiliate/commissions")
    partner.follow(partner.page.locator("main table a").first)
    partner.look("commission")
    partner.open("/affiliate/referrals")
    partner.open("/affiliate/postings")


def _ask_for_payout(partner: Partner) -> None:
    partner.open("/affiliate/destination")
    partner.open("/affiliate/destination/wallet")
    partner.page.locator("main [name=is_confirmed]").press("Space")
    partner.send()
    partner.open("/affiliate/payouts")
    partner.follow(partner.page.locator("main a[href*='/payouts/ask/']"))
    partner.look("payout-request")
    partner.send()


def _print_statement(partner: Partner) -> None:
    partner.open("/affiliate/payouts")
    partner.sees(partner.way.paid)
    partner.follow(partner.page.locator("main section table th a").last)
    partner.look("payout")
    partner.follow(partner.page.locator("main a[href*='/payouts/'][href$='/paid']"))
    partner.page.emulate_media(media="print")
    partner.look("statement")
