"""What referral.js asks the service, and when, in a real Chromium."""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from hashlib import sha384
from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import (
    ANY_API,
    API,
    LINK_HASH,
    ROOT,
    SCRIPT,
    SHOP,
    ClientArea,
)

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

MAX_GZIPPED_BYTES = 5_200
INTEGRITY = f"sha384-{b64encode(sha384(SCRIPT.read_bytes()).digest()).decode()}"
GUIDE = ROOT / "docs/frontend.md"


def test_guide_names_what_the_script_reads_and_answers() -> None:
    script = SCRIPT.read_text("utf-8")
    guide = GUIDE.read_text("utf-8")

    assert set(re.findall(r"^\| `data-(\w+)` \|", guide, re.MULTILINE)) == set(
        re.findall(r"options\.(\w+)", script)
    )
    outcomes = set(re.findall(r"\"(idle|stayed|redirecting|failed|waiting)\"", script))
    assert len(outcomes) == 5
    assert [one for one in outcomes if f'"{one}"' not in guide] == []


def test_call_of_the_guide_is_the_scripts_call(
    client_area: ClientArea, page: Page
) -> None:
    shop, client_area.api = "https://shop.example.com", "https://api.example.net"
    client_area.attributes = 'data-consent="required"'
    client_area.hold_cookie("held", url=shop)
    client_area.open(page, f"{shop}/plans?ref=demo")
    section = GUIDE.read_text("utf-8").partition("## Without the script")[2]
    code = section.partition("```js\n")[2].partition("```")[0]
    client_area.answer = {
        "redirect_url": f"{shop}/plans",
        "referral_cookie": "by-hand",
        "referral_cookie_max_age": 60,
    }

    page.evaluate(
        f"async () => {{ {code.replace('https://api.example.com', client_area.api)} }}"
    )
    assert client_area.cookie_value() == "by-hand"
    page.evaluate("referral.consent(true)")

    by_hand, by_script = client_area.visits
    assert by_hand["referral_cookie"] == "held"
    given = {"consent": "granted"}
    assert by_script == by_hand | {"referral_cookie": "by-hand"} | given


def test_weighs_less_than_5_2_kb_gzipped() -> None:
    assert len(gzip.compress(SCRIPT.read_bytes(), mtime=0)) < MAX_GZIPPED_BYTES


@pytest.mark.parametrize(
    ("_case", "path"),
    [
        ("plain page", "/plans"),
        ("other parameters", "/plans?utm_source=news&reference=1"),
        ("anchor named like a parameter", "/plans#ref"),
        ("empty parameter", "/plans?ref="),
        ("neither a name nor a hash", "/aff/a.b"),
        ("another word", f"/staff/{LINK_HASH}"),
        ("in another value", "/?q=ref%3Ddemo"),
        ("in a redirect", "/login?redirect=/basket?ref=demo"),
        ("a redirect parameter of the shop's own", "/login?redirect=/basket"),
    ],
)
def test_asks_nothing_of_an_ordinary_page(
    client_area: ClientArea, page: Page, _case: str, path: str
) -> None:
    outcome = client_area.open(page, SHOP + path)

    assert outcome == "idle"
    assert client_area.visits == []
    assert client_area.cookie() is None
    assert page.url == SHOP + path


@pytest.mark.parametrize(
    ("_case", "path"),
    [
        ("own parameter", "/plans?ref=demo"),
        ("integration's parameter", "/plans?x=1&a_aid=42"),
        ("integration's other parameter", "/plans?aid=42"),
        ("fragment", "/plans#ref=demo"),
        ("fragment of a hash router", "/#/plans?aid=42"),
        ("link", f"/aff/{LINK_HASH}"),
        ("link in capitals with a slash", f"/aff/{LINK_HASH.upper()}/"),
        ("named link", "/aff/summer-24"),
        ("below a language", "/de//aff//summer-24)."),
        ("route of a script", "/#!/aff/summer-24"),
        ("second question mark", "/?x=1?REF=demo."),
        ("ampersand of HTML", "/?x=1&amp;ref=demo"),
    ],
)
def test_asks_once_about_an_arrival(
    client_area: ClientArea, page: Page, _case: str, path: str
) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/welcome"}

    client_area.open(page, SHOP + path)

    assert [visit["visit_url"] for visit in client_area.visits] == [SHOP + path]
    assert page.url == f"{SHOP}/welcome"


def test_parameter_names_can_be_chosen(client_area: ClientArea, page: Page) -> None:
    client_area.attributes = 'data-params="partner, via"'

    client_area.open(page, f"{SHOP}/?ref=demo")
    assert client_area.visits == []

    client_area.open(page, f"{SHOP}/?via=demo")
    assert len(client_area.visits) == 1


@pytest.mark.parametrize(
    ("_case", "script"),
    [
        ("classic", '<script src="/referral.js"></script>'),
        ("module", '<script type="module" src="/referral.js"></script>'),
        ("imported", '<script type="module">import "/referral.js"</script>'),
        (
            "with its digest",
            f'<script src="/referral.js" integrity="{INTEGRITY}"></script>',
        ),
    ],
)
def test_asks_where_it_came_from_unless_told(
    client_area: ClientArea,
    context: BrowserContext,
    page: Page,
    _case: str,
    script: str,
) -> None:
    body = f"<!doctype html><title>Shop</title>{script}"
    context.route(
        f"{SHOP}/*ref=demo",
        lambda route: route.fulfill(body=body, content_type="text/html"),
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))

    assert client_area.open(page, f"{SHOP}/?ref=demo") == "failed"

    assert asked[-1] == f"POST {SHOP}/api/affiliate_link/visit"


def test_two_copies_of_the_script_ask_once(client_area: ClientArea, page: Page) -> None:
    client_area.attributes = f'></script><script src="/referral.js" data-api="{API}"'

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert len(client_area.visits) == 1


def test_sends_page_referrer_and_browser(client_area: ClientArea, page: Page) -> None:
    url = f"{SHOP}/plans?ref=demo&note=%C3%A9#top"

    client_area.open(page, url, referer="http://blog.example.org/")

    assert client_area.visits == [
        {
            "visit_url": url,
            "referrer_url": "http://blog.example.org/",
            "user_agent": page.evaluate("navigator.userAgent"),
        }
    ]
    headers = client_area.visit_headers[0]
    assert headers["origin"] == SHOP
    assert headers["content-type"] == "application/json"
    assert "cookie" not in headers


def test_reports_that_a_program_drives_the_browser(
    client_area: ClientArea, page: Page
) -> None:
    driven = (
        "Object.defineProperty(Navigator.prototype, 'webdriver', {get: () => true})"
    )
    page.add_init_script(driven)

    client_area.open(page, f"{SHOP}/plans?ref=demo")

    assert [visit.get("automated") for visit in client_area.visits] == [True]


@pytest.mark.parametrize(
    ("origin", "framed"), [("http://blog.example.org", True), (SHOP, None)]
)
def test_reports_a_frame_of_another_site(
    client_area: ClientArea, page: Page, origin: str, framed: bool | None
) -> None:
    frame = f'<iframe src="{SHOP}/?ref=demo" hidden></iframe>'
    page.route(
        f"{origin}/frame",
        lambda route: route.fulfill(body=frame, content_type="text/html"),
    )

    with page.expect_response(ANY_API):
        page.goto(f"{origin}/frame")

    assert [one.get("framed") for one in client_area.visits] == [framed]


def test_direct_visitor_has_an_empty_referrer(
    client_area: ClientArea, page: Page
) -> None:
    client_area.open(page, f"{SHOP}/?ref=demo")

    assert client_area.visits[0]["referrer_url"] == ""


@pytest.mark.parametrize("value", ["abc_DEF-123", "a%20b%3D", "x=y==", "~!'()*"])
def test_sends_the_held_cookie_as_it_is(
    client_area: ClientArea, page: Page, value: str
) -> None:
    client_area.hold_cookie(value)
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": value}

    client_area.open(page, f"{SHOP}/plans")

    assert client_area.visits[0]["referral_cookie"] == value
    assert client_area.cookie_value() == value
