"""How referral.js reads the managers of consent, in a real Chromium.

TCF's stub and interface are IAB Europe's own packages. Google's consent mode is read from
the commands that pages are told to write.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.client_area import LINK_HASH, SHOP, ClientArea, outcome_of
from tests.needs import require

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packages/referral"
MANAGERS = Path(__file__).resolve().parent / "managers"
STORED = "[document.cookie, localStorage.length, sessionStorage.length]"
NOTHING = ["", 0, 0]
SIGNAL = """Object.defineProperty(navigator, "globalPrivacyControl", { value: true })"""
NO_COOKIES = """Object.defineProperty(document, "cookie", {
    get() { return ""; }, set() {} });
for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, {
        get() { throw new DOMException("denied", "SecurityError"); } });"""
GTAG = """<script>
window.dataLayer = window.dataLayer || [];
function gtag(){dataLayer.push(arguments);}
%s
</script>"""
DENIED = "gtag('consent', 'default', {ad_storage: 'denied', wait_for_update: 500});"
GRANTED = "gtag('consent', 'default', {ad_storage: 'granted'});"


@pytest.fixture(scope="session")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    esbuild = require("esbuild")

    def bundled(name: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own command
            [esbuild, MANAGERS / name, "--bundle", "--log-level=error"],
            env={**os.environ, "NODE_PATH": str(PACKAGE / "node_modules")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return {name: bundled(name) for name in ("stub.js", "cmp.js")}


@pytest.fixture
def log(page: Page) -> list[str]:
    """What leaves the browser: addresses, bodies and cookies of all requests."""
    sent: list[str] = []
    page.on(
        "request",
        lambda one: sent.append(
            f"{one.url} {one.post_data} {one.headers.get('cookie', '')}"
        ),
    )
    return sent


@pytest.fixture
def asking(client_area: ClientArea) -> ClientArea:
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}
    return client_area


@pytest.fixture
def tcf(asking: ClientArea, context: BrowserContext, bundled: Any) -> ClientArea:
    """The stub in the page's head, the manager itself later."""
    asking.attributes = 'data-consent="tcf"'
    asking.head = (
        f"<script>{bundled['stub.js']}</script>"
        '<script src="/cmp.js" onload="window.decided?.()" defer></script>'
    )
    context.route(
        "**/cmp.js",
        lambda route: route.fulfill(
            body=bundled["cmp.js"], content_type="text/javascript"
        ),
    )
    return asking


def said(area: ClientArea) -> list[tuple[str | None, str | None]]:
    """The consent and the cookie of each visit."""
    return [(one.get("consent"), one.get("referral_cookie")) for one in area.visits]


def test_tcf_names_nobody_before_the_visitor_decides(
    tcf: ClientArea, page: Page, log: list[str]
) -> None:
    assert tcf.open(page, f"{SHOP}/plans?ref=demo") == "waiting"
    page.evaluate("cmp.ask()")
    page.evaluate("history.pushState(0, '', '/basket')")
    page.wait_for_timeout(300)

    assert outcome_of(page) == "waiting"
    assert page.evaluate(STORED) == NOTHING
    assert [one for one in log if "referral_cookie" in one] == []
    assert tcf.visits == []


def test_tcf_given_reports_the_arrival(tcf: ClientArea, page: Page) -> None:
    tcf.open(page, f"{SHOP}/plans?ref=demo")
    page.evaluate("cmp.ask()")

    page.evaluate("cmp.decide(1, 2)")
    page.wait_for_url(f"{SHOP}/")

    assert tcf.visits[0]["visit_url"] == f"{SHOP}/plans?ref=demo"
    assert said(tcf)[0] == ("granted", None)
    assert tcf.cookie_value() == "token"


def test_tcf_given_before_asks_at_once(tcf: ClientArea, page: Page) -> None:
    page.add_init_script("window.decided = () => cmp.decide(1)")

    page.goto(f"{SHOP}/?ref=demo")
    page.wait_for_url(f"{SHOP}/")

    assert said(tcf) == [("granted", None)]
    assert tcf.cookie_value() == "token"


@pytest.mark.parametrize("purposes", ["", "2, 7"])
def test_tcf_refused_leads_on_and_stores_nothing(
    tcf: ClientArea, page: Page, log: list[str], purposes: str
) -> None:
    tcf.answer = {"redirect_url": f"{SHOP}/plans"}
    tcf.open(page, f"{SHOP}/aff/{LINK_HASH}")
    page.evaluate("cmp.ask()")

    page.evaluate(f"cmp.decide({purposes})")
    page.wait_for_url(f"{SHOP}/plans")

    assert said(tcf) == [("denied", None)]
    assert page.evaluate(STORED) == NOTHING
    assert [one for one in log if "referral_cookie" in one] == []


def test_tcf_withdrawn_is_told_once_and_forgotten(
    tcf: ClientArea, page: Page, log: list[str]
) -> None:
    tcf.open(page, f"{SHOP}/?ref=demo")
    page.evaluate("cmp.decide(1)")
    page.wait_for_url(f"{SHOP}/")
    assert tcf.cookie_value() == "token"
    tcf.answer = {"redirect_url": f"{SHOP}/"}
    page.evaluate("cmp.ask()")

    page.evaluate("cmp.decide()")
    page.wait_for_timeout(300)
    page.evaluate("history.pushState(0, '', '/?ref=other')")
    outcome_of(page)

    assert said(tcf) == [("granted", None), ("denied", "token"), ("denied", None)]
    assert page.evaluate(STORED) == NOTHING
    assert tcf.cookie() is None
    assert len([one for one in log if "token" in one]) == 1


def test_tcf_where_the_gdpr_does_not_apply(tcf: ClientArea, page: Page) -> None:
    tcf.open(page, f"{SHOP}/?ref=demo")

    page.evaluate("cmp.isNotNeeded()")
    page.wait_for_url(f"{SHOP}/")

    assert said(tcf) == [("granted", None)]


@pytest.mark.parametrize(
    ("decision", "consent"), [("1, 7", "granted"), ("1", "denied")]
)
def test_more_purposes_may_be_asked_for(
    tcf: ClientArea, page: Page, decision: str, consent: str
) -> None:
    tcf.attributes += ' data-purposes="1, 7"'
    tcf.open(page, f"{SHOP}/?ref=demo")

    page.evaluate(f"cmp.decide({decision})")
    page.wait_for_url(f"{SHOP}/")

    assert said(tcf) == [(consent, None)]


def test_tcf_whose_stub_comes_late(tcf: ClientArea, page: Page, bundled: Any) -> None:
    tcf.head = ""
    tcf.open(page, f"{SHOP}/?ref=demo")
    for name in ("stub.js", "cmp.js"):
        page.evaluate(bundled[name])

    page.evaluate("cmp.decide(1)")
    page.wait_for_url(f"{SHOP}/")

    assert said(tcf) == [("granted", None)]


@pytest.mark.parametrize(
    ("_case", "commands", "consent"),
    [
        ("nothing said", "", None),
        ("denied by default is no decision", DENIED, None),
        ("granted by default", GRANTED, "granted"),
        ("granted", f"{DENIED} gtag('consent', 'update', {{ad_storage: 'granted'}})", "granted"),
        ("denied", f"{DENIED} gtag('consent', 'update', {{ad_storage: 'denied'}})", "denied"),
        (
            "of another storage",
            f"{DENIED} gtag('consent', 'update', {{analytics_storage: 'granted'}})",
            None,
        ),
        (
            "a region's default may be the visitor's",
            f"gtag('consent', 'default', {{ad_storage: 'denied', region: ['DE']}}); {GRANTED}",
            None,
        ),
        (
            "or not",
            "gtag('consent', 'default', {ad_storage: 'granted', region: ['US']});",
            None,
        ),
        ("other commands", "gtag('js', new Date()); gtag('config', 'G-1'); dataLayer.push(null)", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_late", [False, True])
def test_consent_mode(
    asking: ClientArea,
    page: Page,
    _case: str,
    commands: str,
    consent: str | None,
    is_late: bool,
) -> None:
    asking.attributes = 'data-consent="google"'
    asking.head = GTAG % ("" if is_late else commands)

    page.goto(f"{SHOP}/?ref=demo")
    if is_late:
        page.evaluate(f"(() => {{ {commands} }})()")
    if consent is not None:
        page.wait_for_url(f"{SHOP}/")
    outcome_of(page)

    assert said(asking) == ([] if consent is None else [(consent, None)])
    assert (asking.cookie_value() == "token") is (consent == "granted")
    if consent is None:
        assert page.evaluate(STORED) == NOTHING


def test_consent_mode_withdrawn(asking: ClientArea, page: Page) -> None:
    asking.attributes = 'data-consent="google"'
    asking.head = GTAG % GRANTED
    asking.open(page, f"{SHOP}/?ref=demo")

    page.evaluate("gtag('consent', 'update', {ad_storage: 'denied'})")
    page.wait_for_timeout(300)

    assert said(asking) == [("granted", None), ("denied", "token")]
    assert page.evaluate(STORED) == NOTHING


@pytest.mark.parametrize(
    ("entry", "consent"),
    [
        ("{default: false}", None),
        ("{default: true}", "granted"),
        ("{default: false, update: true}", "granted"),
        ("{default: true, update: false}", "denied"),
    ],
)
def test_consent_mode_that_a_container_sets(
    asking: ClientArea, page: Page, entry: str, consent: str | None
) -> None:
    """Templates of Google Tag Manager write no commands, only this state."""
    asking.attributes = 'data-consent="google"'
    asking.head = GTAG % (
        "window.listeners = []; window.google_tag_data = {ics: {entries: {}, "
        "addListener: (names, tell) => listeners.push(tell)}};"
    )
    asking.open(page, f"{SHOP}/?ref=demo")
    assert asking.visits == []

    page.evaluate(
        f"google_tag_data.ics.entries.ad_storage = {entry}; "
        "listeners.forEach((tell) => tell())"
    )
    if consent is not None:
        page.wait_for_url(f"{SHOP}/")

    assert said(asking) == ([] if consent is None else [(consent, None)])


def test_manager_of_the_pages_own(asking: ClientArea, page: Page) -> None:
    asking.attributes = 'data-consent="askManager"'
    asking.head = (
        "<script>askManager = (report) => { window.report = report; }</script>"
    )
    assert asking.open(page, f"{SHOP}/?ref=demo") == "waiting"
    page.evaluate("void report('unknown')")
    assert asking.visits == []

    page.evaluate("void report(true)")
    page.wait_for_url(f"{SHOP}/")

    assert said(asking) == [("granted", None)]


def test_page_that_is_left_undecided_is_counted_and_names_nobody(
    asking: ClientArea, page: Page, log: list[str]
) -> None:
    asking.attributes = 'data-consent="required"'
    asking.open(page, f"{SHOP}/?ref=demo")

    # What a page sends as it is left passes Playwright by: test_consent_service sees it.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    page.wait_for_timeout(300)

    assert said(asking) == [("unknown", None)]
    assert asking.visits[0]["visit_url"] == f"{SHOP}/?ref=demo"
    assert page.evaluate(STORED) == NOTHING
    assert [one for one in log if "referral_cookie" in one] == []


def test_privacy_control_is_a_refusal_until_the_visitor_agrees(
    asking: ClientArea, page: Page, log: list[str]
) -> None:
    page.add_init_script(SIGNAL)
    asking.attributes = 'data-consent="required"'

    page.goto(f"{SHOP}/?ref=demo")
    page.wait_for_url(f"{SHOP}/")

    assert said(asking) == [("denied", None)]
    assert page.evaluate(STORED) == NOTHING
    assert [one for one in log if "referral_cookie" in one] == []
    page.evaluate("referral.consent(true)")
    assert said(asking)[1:] == [("granted", None)]
    assert asking.cookie_value() == "token"


@pytest.mark.parametrize("is_given", ["true", "false"])
def test_blocked_cookies_store_nothing_either_way(
    asking: ClientArea, page: Page, is_given: str
) -> None:
    page.add_init_script(NO_COOKIES)
    asking.attributes = 'data-consent="required"'
    asking.open(page, f"{SHOP}/?ref=demo")

    page.evaluate(f"referral.consent({is_given})")

    assert said(asking) == [("granted" if is_given == "true" else "denied", None)]
    assert asking.cookie() is None
    kept = page.evaluate("referral.cookie() ?? null")
    assert kept == ("token" if is_given == "true" else None)


def test_session_keeps_an_arrival_no_longer(asking: ClientArea, page: Page) -> None:
    asking.attributes = 'data-consent="session"'
    asking.status = 503

    asking.open(page, f"{SHOP}/?ref=demo")

    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 1]
    asking.status = 200
    asking.open(page, f"{SHOP}/plans")
    assert page.evaluate(STORED) == ["referral_cookie=token", 0, 0]
    assert asking.cookie()["expires"] == -1
