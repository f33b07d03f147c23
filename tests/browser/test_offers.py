"""What the friend of an affiliate gets: from the code to the receipt."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import visiting
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
CALL = "from tests.browser import offer_rows; print(offer_rows.{}({!r}))"


@dataclass(frozen=True)
class Friend:
    """An affiliate with a code of the offer."""

    name: str
    email: str
    code: str


@dataclass(frozen=True)
class Words:
    locale: str
    make: str
    text: str
    bar: str
    applied: str


WORDS = {
    "english": Words(
        "en-GB",
        "Make a code",
        "A tenth off your first invoice",
        "with the code {code} until",
        "Coupon {code}: 10% off",
    ),
    "german": Words(
        "de-DE",
        "Code anlegen",
        "Ein Zehntel Nachlass auf die erste Rechnung",
        "mit dem Code {code} bis",
        "Gutschein {code}: 10\xa0% Rabatt",
    ),
}


@pytest.fixture
def befriend(server: DemoServer, browser: Browser) -> Callable[..., Friend]:
    """An affiliate who makes a code on the page of offers."""

    def befriend(words: Words = WORDS["english"]) -> Friend:
        name = f"p{uuid.uuid4().hex[:8]}"
        made = json.loads(server.console.run_code(CALL.format("make_offer", name)))
        code = f"{name}-10".upper()
        with visiting(browser, words.locale, server, made["email"]) as page:
            page.goto(f"{server.origin}/affiliate/offers")
            offer = page.locator("main section", has_text=words.text)
            offer.locator("[name=code]").fill(code.lower())
            offer.get_by_role("button", name=words.make).click()
            page.locator("main input[readonly]").first.wait_for()
            assert page.locator("main input[readonly]").first.input_value() == code
        return Friend(name, made["email"], code)

    return befriend


@pytest.fixture
def visit(browser: Browser, server: DemoServer) -> Iterator[Callable[..., Visitor]]:
    """Somebody else in a browser of their own."""
    opened = []

    def visit(locale: str = "en-GB") -> Visitor:
        manager = visiting(browser, locale)
        opened.append(manager)
        return Visitor(manager.__enter__(), server)

    yield visit
    for manager in opened:
        manager.__exit__(None, None, None)


def bar(page: Page) -> str:
    shown = page.locator("[data-offer]")
    return shown.inner_text() if shown.is_visible() else ""


def coupon_text(page: Page) -> str:
    page.locator("[data-held]:visible").wait_for()
    return page.locator("[data-held] p:visible").first.inner_text()


def arrive(visitor: Visitor, friend: Friend, *, sees_offer: bool = True) -> None:
    visitor.open(f"/?ref={friend.name}")
    if sees_offer:
        visitor.page.locator("[data-offer]").wait_for()


def commission(visitor: Visitor) -> list[tuple[object, ...]]:
    return visitor.server.query(
        """
        SELECT affiliate.code, referral.reason, commission.amount
        FROM affiliates_commission commission
        JOIN affiliates_affiliate affiliate ON affiliate.id = commission.affiliate_id
        JOIN affiliates_sale sale ON sale.id = commission.sale_id
        JOIN affiliates_orderreferral referral ON referral.id = sale.order_referral_id
        JOIN portal_user client ON client.id = referral.client_id
        WHERE client.email = ?
        """,
        visitor.email,
    )


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_friend_follows_the_link_and_gets_the_discount(
    words: Words, befriend: Callable[..., Friend], server: DemoServer, browser: Browser
) -> None:
    friend = befriend(words)
    with visiting(browser, words.locale) as page:
        visitor = Visitor(page, server)
        arrive(visitor, friend)
        assert f"{words.text} {words.bar.format(code=friend.code)}" in bar(page)

        page.locator("article", has_text="Business").get_by_role("button").click()
        page.wait_for_url("**/basket")
        page.locator("a[href='/checkout']").last.click()
        assert coupon_text(page) == words.applied.format(code=friend.code)
        for name, text in {
            "firstname": "Bo",
            "lastname": "Example",
            "email": visitor.email,
            "password": "a long enough passphrase",
        }.items():
            page.locator(f"main [name={name}]").fill(text)
        page.locator("main [data-submit]").click()
        page.wait_for_url("**/pay?invoice=*")
        page.locator("[data-bank]").click()
        page.locator("#pay").click()
        page.locator(".badge.paid").wait_for()

    # 20 % of 8.10 EUR, less half of the discount of 0.90 EUR.
    assert visitor.sales() == [(friend.name, 8.1, "EUR")]
    assert commission(visitor) == [(friend.name, "coupon", 117)]
    with visiting(browser, words.locale, server, friend.email) as page:
        page.goto(f"{server.origin}/affiliate/commissions")
        page.locator("main table a").first.click()
        page.wait_for_url("**/affiliate/commissions/*")
        assert friend.code in page.locator("main").inner_text()


def test_code_typed_on_another_device_gives_the_same(
    befriend: Callable[..., Friend], visit: Callable[..., Visitor]
) -> None:
    friend, visitor = befriend(), visit()
    visitor.open("/")
    visitor.choose("Business")
    visitor.page.get_by_role("link", name="Check out").click()
    visitor.enter_coupon(friend.code.lower())
    visitor.fill_details()
    visitor.page.get_by_role("button", name="Register and order").click()
    visitor.wait_for_invoice()
    visitor.pay()

    assert bar(visitor.page) == ""
    assert commission(visitor) == [(friend.name, "coupon", 117)]


def test_affiliates_name_typed_by_hand_is_credited_without_a_discount(
    befriend: Callable[..., Friend], visit: Callable[..., Visitor]
) -> None:
    friend, visitor = befriend(), visit("de-DE")
    visitor.open("/")
    page = visitor.page
    page.locator("article", has_text="Business").get_by_role("button").click()
    page.wait_for_url("**/basket")
    page.locator("a[href='/checkout']").last.click()
    page.locator("[name=code]").fill(friend.name.upper())
    page.locator("[data-enter] button").click()

    assert coupon_text(page) == (
        f"Code {friend.name.upper()}: Wir merken uns, wer Sie geschickt hat. "
        "Ein Rabatt gehört nicht dazu."
    )


def test_existing_client_reads_why_nothing_is_taken_off(
    befriend: Callable[..., Friend], visit: Callable[..., Visitor]
) -> None:
    friend, visitor = befriend(), visit()
    visitor.open("/")
    visitor.choose("Starter")
    visitor.complete_registration()
    visitor.pay()

    arrive(visitor, friend)
    visitor.choose("Business")
    visitor.page.get_by_role("link", name="Check out").click()

    assert coupon_text(visitor.page) == (
        f"Code {friend.code}: we note who sent you. It takes nothing off. "
        "This coupon is for new clients."
    )
    visitor.page.get_by_role("button", name="Take it off").click()
    visitor.page.get_by_label("Coupon code").wait_for()


@pytest.mark.parametrize(
    ("_case", "change", "says"),
    [
        ("an expired offer", "expire", "This coupon has expired."),
        ("an ended offer, whose codes stay", "end_offer", "10% off"),
        ("an ended code", "end_code", "This coupon has ended."),
    ],
)
def test_code_of_what_is_over(
    _case: str,
    change: str,
    says: str,
    befriend: Callable[..., Friend],
    visit: Callable[..., Visitor],
    server: DemoServer,
) -> None:
    friend, visitor = befriend(), visit()
    server.console.run_code(CALL.format(change, friend.code))
    arrive(visitor, friend, sees_offer=False)
    visitor.choose("Business")
    assert bar(visitor.page) == ""

    visitor.page.get_by_role("link", name="Check out").click()
    visitor.page.get_by_label("Coupon code").fill(friend.code)
    visitor.page.get_by_role("button", name="Apply").click()

    visitor.page.get_by_text(says).wait_for()


def test_one_affiliates_link_and_anothers_code_have_one_winner(
    befriend: Callable[..., Friend],
    visit: Callable[..., Visitor],
    admin_page: Page,
) -> None:
    first, second, visitor = befriend(), befriend(), visit()
    arrive(visitor, first)
    visitor.choose("Business")
    visitor.page.get_by_role("link", name="Check out").click()
    visitor.page.get_by_role("button", name="Take it off").click()
    visitor.enter_coupon(second.code)
    visitor.fill_details()
    visitor.page.get_by_role("button", name="Register and order").click()
    visitor.wait_for_invoice()
    visitor.pay()

    assert commission(visitor) == [(second.name, "coupon", 117)]
    story = visitor.story(admin_page)
    assert "The order names the affiliate's coupon code." in story
    assert "A code won" in story
