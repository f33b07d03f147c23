"""Every page of the area, the program, the shop and the desk, with a year's rows on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from docs.every_page import every_page
from tests.browser.accessibility import faults_of
from tests.browser.conftest import visiting
from tests.browser.demo_server import DemoServer
from tests.browser.walks import Visit, Walk, visit
from tests.lengths import times

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.long]

# Of a webhook, which the affiliate has none of, and a payout while one is open.
ABSENT = {
    "/affiliate/webhook/secret",
    "/affiliate/webhook/test",
    "/affiliate/webhook/remove",
}
COMMISSION = """
    SELECT date(sale.paid_at), amount + coalesce(
        (SELECT sum(r.amount) FROM affiliates_commissionreversal r
            WHERE r.commission_id = c.id), 0)
    FROM affiliates_commission c
    JOIN affiliates_sale sale ON sale.id = c.sale_id
    JOIN affiliates_affiliate a ON a.id = c.affiliate_id
    WHERE a.code = 'demo' AND c.currency = 'EUR' AND c.status <> 'rejected'
"""


def test_amounts_are_in_sight_and_no_page_is_wider_than_its_window(
    browser: Browser,
    year_server: DemoServer,
    area_walk: Walk,
    program_walk: Walk,
    shop_walk: Walk,
) -> None:
    visits = area_walk.visits + program_walk.visits + shop_walk.visits
    visits += _visits(browser, year_server, "en-GB", parts={"shop"})

    assert _faults_of(visits) == []


def test_the_same_in_german(browser: Browser, year_server: DemoServer) -> None:
    visits = _visits(browser, year_server, "de-DE", parts={"area", "program", "shop"})

    assert _faults_of(visits) == []


def test_the_same_of_every_page_of_the_desk(desk_walk: Walk) -> None:
    # Some rows are never added by hand, or have no such act.
    visits = [one for one in desk_walk.visits if one.is_ok]

    assert [fault for one in visits for fault in one.faults] == []
    assert len(visits) > times(35, long=150)


def test_pointer_and_arrow_keys_show_the_commission_of_each_day(
    browser: Browser, year_server: DemoServer
) -> None:
    amounts: Counter[date] = Counter()
    for day, amount in year_server.query(COMMISSION):
        amounts[date.fromisoformat(day)] += amount
    last = max(amounts) - timedelta(days=1)
    days = [last - timedelta(days=back) for back in reversed(range(30))]
    expected = [_in_box(day, amounts) for day in days]

    with visiting(browser, "en-GB", year_server) as page:
        address = f"{year_server.origin}/affiliate/statistics"
        page.goto(f"{address}?first={days[0]}&last={last}")
        chart = page.get_by_role("slider", name="Commission in EUR")
        box = chart.locator(".affiliates-chart-box")
        chart.press("Home")
        shown, spoken = [box.inner_text()], []
        for _day in days[1:]:
            spoken.append(chart.get_attribute("aria-valuetext"))
            chart.press("ArrowRight")
            shown.append(box.inner_text())
        faults = faults_of(page)
        chart.press("Escape")
        is_hidden = box.is_hidden()
        chart.hover(position={"x": 1, "y": 50})

        assert shown == expected
        assert spoken == [text.replace("\n", ", ") for text in expected[:-1]]
        assert (faults, is_hidden) == ([], True)
        assert box.inner_text() == expected[0]


def _in_box(day: date, amounts: Counter[date]) -> str:
    before = day - timedelta(days=30)
    label = f"{before.day} {before:%b}"
    if before.year != day.year:
        label += f" {before.year}"
    this, earlier = (f"€{amounts[one] / 100:,.2f}" for one in (day, before))
    return f"{day.day} {day:%b}\n{this}\n{label}: {earlier}"


def _visits(
    browser: Browser, server: DemoServer, locale: str, *, parts: Collection[str]
) -> list[Visit]:
    """An account of the shop needs a login; its other pages are for everybody."""
    with (
        visiting(browser, locale) as anybody,
        visiting(browser, locale, server) as affiliate,
    ):
        return [
            visit(
                affiliate if one.visitor == "area" else anybody, server.origin, one.path
            )
            for one in every_page(server.query)
            if one.part in parts and one.path not in ABSENT
        ]


def _faults_of(visits: Collection[Visit]) -> list[object]:
    listed = [one for one in visits if one.path not in ABSENT]
    assert len(listed) > 40
    refused = [(one.path, one.status) for one in listed if not one.is_ok]
    return [*refused, *(fault for one in listed for fault in one.faults)]
