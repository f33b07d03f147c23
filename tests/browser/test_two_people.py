"""Two people of staff, each in a browser of their own, with the same form open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer
from tests.browser.edited_rows import Prepared, prepare
from tests.lengths import spread

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

# What is folded cannot be typed into.
UNFOLD = "document.querySelectorAll('form details').forEach(one => one.open = true)"
# By change form: the field that only the colleague changes with its value, then the field
# that both change with the colleague's value and one's own.
FORMS: dict[str, tuple[Any, ...]] = {
    "affiliates.commissionplan": (
        *("hold_days", "9"),
        *("rules-0-percent", "22", "15"),
    ),
    "affiliates.affiliate": ("time_zone", "Asia/Tokyo", "code", "pebble", "gravel"),
    "affiliates.affiliategroup": ("plan", 1, "name", "Silver", "Gold"),
    "affiliates.affiliatelink": ("is_active", False, "name", "summer", "autumn"),
    "affiliates.brand": (
        *("default_redirect_url", "https://elbkiesel.example/plans"),
        *("name", "Elbe", "Weser"),
    ),
    "affiliates.couponcode": ("is_active", False, "percent", "12", "13"),
    "affiliates.creative": ("text", "Fast servers", "name", "Banner", "Skyscraper"),
    "affiliates.payoutaccount": ("is_active", False, "client_id", "AeA2", "AeA3"),
    "affiliates.payoutterms": ("minimums", "EUR 60.00", "cool_off_days", "9", "12"),
    "affiliates.trackingintegration": (
        *("order_prefix", "elb-"),
        *("requests_per_second", "3", "4"),
    ),
    "affiliates.webhook": ("is_active", False, "requests_per_second", "3", "4"),
    "affiliates_announcements.announcement": (
        *("text", "Our prices have changed."),
        *("subject", "New prices", "New plans"),
    ),
    "affiliates_invoices.invoiceterms": ("needed_from", "EUR 60.00"),
    "affiliates_offers.offer": (
        *("is_active", False),
        *("text", "12 % off", "15 % off"),
    ),
    "affiliates_tax_identity.identityterms": (
        *("needed_from", "EUR 60.00"),
        *("own_vat_id", "DE136695976", "ATU13585627"),
    ),
    "auth.group": ("permissions", 1, "name", "Helpers", "Helpdesk"),
    "portal.coupon": ("is_active", False, "percent_off", "15.00", "20.00"),
    "portal.product": ("description", "Small", "name", "Entry", "Starter"),
    "portal.user": ("lastname", "Kiesel", "firstname", "Ada", "Bea"),
}


@pytest.fixture(scope="module")
def prepared(desk_server: DemoServer) -> Prepared:
    return prepare(desk_server)


@pytest.fixture(scope="module")
def mine(browser: Browser, desk_server: DemoServer) -> Iterator[Page]:
    with logged_in(browser, desk_server) as page:
        yield page


@pytest.fixture(scope="module")
def theirs(
    browser: Browser, desk_server: DemoServer, prepared: Prepared
) -> Iterator[Page]:
    with logged_in(browser, desk_server, prepared.colleague) as page:
        yield page


def test_every_change_form_has_its_two_people(prepared: Prepared) -> None:
    assert sorted(FORMS) == sorted(prepared.pages)
    assert "" not in prepared.pages.values()


@spread(("label",), [(label, label) for label in FORMS], example=7, sweep=7)
def test_neither_loses_a_value_and_the_refusal_names_the_other(
    label: str, desk_server: DemoServer, prepared: Prepared, mine: Page, theirs: Page
) -> None:
    kept, theirs_alone, both, their_value, my_value = FORMS[label]
    page = desk_server.demo["api_base"] + prepared.pages[label]
    for person in (mine, theirs):
        person.goto(page)
        person.evaluate(UNFOLD)
    _enter(theirs, kept, theirs_alone)
    _enter(theirs, both, their_value)
    _save(theirs)
    expected = _values(theirs, page, kept)

    _enter(mine, both, my_value)
    _save(mine)

    mine.get_by_text("colleague@example.com changed this").first.wait_for()
    assert _values(theirs, page, both) == [their_value]
    assert mine.locator(f"[name={both}]").input_value() == my_value

    _save(mine)

    assert mine.url != page
    assert _values(theirs, page, both) == [my_value]
    assert _values(theirs, page, kept) == expected


def _enter(page: Page, name: str, value: str | int | bool) -> None:
    field = page.locator(f"[name={name}]").first
    if isinstance(value, bool):
        field.set_checked(value)
    elif isinstance(value, int) and page.locator(f"#id_{name}_from").count():
        page.locator(f"#id_{name}_from option").nth(value).dblclick()
    elif isinstance(value, int):
        field.locator("xpath=following-sibling::*").first.click()
        page.locator(".select2-results__option").nth(value).click()
    else:
        field.fill(value)


def _save(page: Page) -> None:
    page.locator("[name=_save]").first.click()
    page.wait_for_load_state()


def _values(page: Page, address: str, name: str) -> list[str]:
    page.goto(address)
    fields = page.locator(f"[name={name}]")
    values: list[str] = fields.evaluate_all(
        "fields => fields.map(field => field.type === 'checkbox' ? String(field.checked)"
        " : field.multiple ? String(field.options.length) : field.value)"
    )
    return values
