"""How referral.js keeps the cookie, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import ANY_API, LINK_HASH, SHOP, ClientArea

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

pytestmark = pytest.mark.browser

DAY = 86_400
NOTE_WRITTEN_COOKIES = """
window.held = [];
const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
Object.defineProperty(document, "cookie", {
  get: () => get.call(document),
  set: (cookie) => (set.call(document, cookie), held.push(get.call(document))),
});
"""


def test_sets_a_first_party_cookie_of_this_host(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {
        "redirect_url": f"{SHOP}/",
        "referral_cookie": "tok%3D_-1",
        "referral_cookie_max_age": 90 * DAY,
    }

    client_area.open(page, f"{SHOP}/deep/page?ref=demo")

    cookie = client_area.cookie()
    remaining = cookie["expires"] - page.evaluate("Date.now() / 1000")
    assert remaining == pytest.approx(90 * DAY, abs=60)
    assert cookie | {"expires": 0} == {
        "name": "referral_cookie",
        "value": "tok%3D_-1",
        "domain": "shop.example.com",
        "path": "/",
        "expires": 0,
        "httpOnly": False,
        "secure": False,
        "sameSite": "Lax",
    }
    assert page.evaluate("referral.cookie()") == "tok%3D_-1"


def test_cookie_without_a_max_age_lasts_for_the_session(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert client_area.cookie()["expires"] == -1


def test_cookie_is_secure_on_https(client_area: ClientArea, page: Page) -> None:
    client_area.api = "https://api.example.net"
    client_area.answer = {
        "redirect_url": "https://shop.example.com/",
        "referral_cookie": "token",
    }

    client_area.open(page, "https://shop.example.com/?ref=demo")

    assert client_area.cookie()["secure"] is True


@pytest.mark.parametrize(
    ("_case", "domain", "stored_for"),
    [
        ("registrable domain", "example.com", ".example.com"),
        ("leading dot", ".example.com", ".example.com"),
        ("capitals", "Example.COM", ".example.com"),
        ("public suffix", "com", "shop.example.com"),
        ("dot alone", ".", "shop.example.com"),
        ("no host at all", "https://", "shop.example.com"),
        ("the host itself", "shop.example.com", ".shop.example.com"),
        ("somebody else's domain", "example.org", "shop.example.com"),
        ("only the same ending", "op.example.com", "shop.example.com"),
    ],
)
def test_cookie_domain_can_be_chosen(
    client_area: ClientArea, page: Page, _case: str, domain: str, stored_for: str
) -> None:
    client_area.attributes = f'data-domain="{domain}"'
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert client_area.cookie()["domain"] == stored_for


def test_cookie_that_falls_back_to_the_host_is_renewed_and_deleted(
    client_area: ClientArea, page: Page
) -> None:
    client_area.attributes = 'data-domain="com"'
    for value in ("first", "second"):
        client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": value}
        client_area.open(page, f"{SHOP}/plans?ref=demo")
        assert client_area.cookie_value() == value

    client_area.answer = {"redirect_url": f"{SHOP}/"}
    client_area.open(page, f"{SHOP}/plans")

    assert client_area.cookie() is None


def test_cookie_of_the_domain_replaces_the_one_of_the_host(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("old")
    client_area.attributes = 'data-domain="example.com"'
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "new"}

    client_area.open(page, f"{SHOP}/plans")

    assert client_area.cookie_value() == "new"
    assert client_area.cookie()["domain"] == ".example.com"


def test_cookie_name_can_be_chosen(client_area: ClientArea, page: Page) -> None:
    client_area.attributes = 'data-cookie="partner"'
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert page.evaluate("document.cookie") == "partner=token"


def test_cookie_is_deleted_when_none_comes_back(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("expired-elsewhere")

    client_area.open(page, f"{SHOP}/plans")

    assert client_area.cookie() is None
    assert page.evaluate("referral.cookie()") is None


def test_value_that_would_break_out_of_the_cookie_is_not_stored(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("good")
    client_area.answer = {
        "redirect_url": f"{SHOP}/",
        "referral_cookie": "bad; domain=example.com",
    }

    client_area.open(page, f"{SHOP}/plans")

    assert client_area.cookie_value() == "good"


def test_refresh_leaves_the_cookie_of_a_newer_arrival(
    client_area: ClientArea, page: Page
) -> None:
    client_area.hold_cookie("first")
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "first-again"}
    page.add_init_script(
        """const ask = window.fetch;
        window.fetch = async (...request) => {
          const response = await ask(...request);
          document.cookie = "referral_cookie=from-another-tab; path=/";
          return response;
        };"""
    )

    client_area.open(page, f"{SHOP}/plans")

    assert client_area.visits[0]["referral_cookie"] == "first"
    assert client_area.cookie_value() == "from-another-tab"


COOKIES_IGNORED = """Object.defineProperty(Document.prototype, "cookie",
    { get: () => "", set: () => {} });"""
COOKIES_THROW = """Object.defineProperty(Document.prototype, "cookie", {
    get() { throw new DOMException("denied", "SecurityError"); },
    set() { throw new DOMException("denied", "SecurityError"); } });"""


def test_cookie_is_never_absent_while_it_is_renewed(
    client_area: ClientArea, page: Page
) -> None:
    client_area.answer = {
        "redirect_url": f"{SHOP}/",
        "referral_cookie": "token",
        "referral_cookie_max_age": 90 * DAY,
    }
    client_area.open(page, f"{SHOP}/?ref=demo")
    page.add_init_script(NOTE_WRITTEN_COOKIES)

    client_area.open(page, f"{SHOP}/about")

    assert page.evaluate("held") == ["referral_cookie=token"]


@pytest.mark.parametrize("block", [COOKIES_IGNORED, COOKIES_THROW])
def test_blocked_cookies_leave_the_value_to_this_page(
    client_area: ClientArea, page: Page, block: str
) -> None:
    page.add_init_script(block)
    client_area.answer = {"redirect_url": f"{SHOP}/plans", "referral_cookie": "token"}

    outcome = client_area.open(page, f"{SHOP}/plans?ref=demo&redirect=/plans")

    assert outcome == "stayed"
    assert page.url == f"{SHOP}/plans?ref=demo"
    assert page.evaluate("referral.cookie()") == "token"


@pytest.mark.parametrize(
    ("_case", "path", "answer", "ends_at"),
    [
        ("link", f"/aff/{LINK_HASH}", "/plans", f"/plans?ref={LINK_HASH}"),
        ("named link", "/aff/summer", "/plans", "/plans?ref=summer"),
        ("code", "/?ref=demo", "/plans?a=1#top", "/plans?a=1&ref=demo#top"),
        ("fragment", "/#/x?aid=4", "/plans", "/plans?aid=4"),
        ("page that has its own redirect", "/?ref=demo", "/in?redirect=/x", "/in?redirect=/x"),
    ],
)  # fmt: skip
def test_blocked_cookies_keep_the_affiliate_in_the_address(
    client_area: ClientArea,
    page: Page,
    _case: str,
    path: str,
    answer: str,
    ends_at: str,
) -> None:
    page.add_init_script(COOKIES_IGNORED)
    client_area.answer = {"redirect_url": SHOP + answer, "referral_cookie": "token"}

    client_area.open(page, SHOP + path)

    assert page.url == SHOP + ends_at
    is_carried = ends_at != answer
    assert page.evaluate("referral.cookie()") == ("token" if is_carried else None)
    assert len(client_area.visits) == 1 + is_carried


def test_blocked_cookies_take_the_affiliate_to_no_other_host(
    client_area: ClientArea, page: Page
) -> None:
    page.add_init_script(COOKIES_IGNORED)
    client_area.answer = {
        "redirect_url": "http://docs.example.com/start",
        "referral_cookie": "token",
    }

    client_area.open(page, f"{SHOP}/?ref=demo")

    assert page.url == "http://docs.example.com/start"


def test_cookie_that_the_answer_has_set_is_left_as_it_is(
    client_area: ClientArea, context: BrowserContext, page: Page
) -> None:
    client_area.api = SHOP
    answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "token"}
    context.route(
        f"{SHOP}/api/affiliate_link/visit",
        lambda route: route.fulfill(
            json={"data": answer | {"referral_cookie_max_age": DAY}},
            headers={"Set-Cookie": f"referral_cookie=token; Max-Age={9 * DAY}; Path=/"},
        ),
    )

    client_area.open(page, f"{SHOP}/?ref=demo")

    remaining = client_area.cookie()["expires"] - page.evaluate("Date.now() / 1000")
    assert remaining == pytest.approx(9 * DAY, abs=60)
    assert page.evaluate("referral.cookie()") == "token"


@pytest.mark.parametrize(
    ("_case", "again", "kept"),
    [
        (
            "decided",
            {"redirect_url": f"{SHOP}/", "referral_cookie": "decided"},
            "decided",
        ),
        ("not answered", None, "newer"),
    ],
)
def test_answer_replaces_no_newer_cookie_without_asking_again(
    client_area: ClientArea,
    page: Page,
    _case: str,
    again: dict[str, str] | None,
    kept: str,
) -> None:
    """Another tab arrives while this one waits for its answer."""
    client_area.answer = {"redirect_url": f"{SHOP}/", "referral_cookie": "older"}

    def answer(route: Route) -> None:
        if client_area.visits:
            client_area.answer = again or {}
        else:
            client_area.hold_cookie("newer")
        route.fallback()

    page.route(ANY_API, answer)
    client_area.open(page, f"{SHOP}/?ref=demo")

    first, second = client_area.visits
    assert second == first | {"referral_cookie": "newer"}
    assert client_area.visit_headers[1]["visit-id"] == "older"
    assert client_area.cookie_value() == kept
