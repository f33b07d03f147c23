"""Any span of days beside as many before it."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from affiliates.core.ids import new_id
from tests.factories.affiliates import ClickFactory

pytestmark = pytest.mark.django_db
STATISTICS = "/affiliate/statistics"


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def clicks(affiliate, link, now):
    """One by the link today, one the day before, one a month ago."""
    for days, fields in ((0, {"link": link, "country": "DE"}), (1, {}), (30, {})):
        at = now - timedelta(days=days)
        ClickFactory(affiliate=affiliate, visitor_id=new_id(), created_at=at, **fields)


def test_days_beside_the_days_before(browser, brand, clicks):
    brand.time_zone = "Europe/Berlin"
    brand.save()

    answer = browser.get(f"{STATISTICS}?first=2026-02-28&last=2026-03-01")

    data = answer.context["data"]
    assert [one["numbers"] for one in answer.context["rows"]] == [[1, 1, 0, 0, 0]] * 2
    assert data["before"]["figures"]["counts"]["clicks"] == 0
    assert [chart.title for chart in answer.context["charts"]] == [
        "Human clicks",
        "Orders",
    ]
    assert "Days are those of Europe/Berlin" in answer.text
    assert "(so far)" in answer.text


@pytest.mark.parametrize(("language", "rate"), [("en", "12.5 %"), ("de", "12,5 %")])
def test_rates_are_written_as_in_the_reader_s_language(
    browser, affiliate, order, now, language, rate
):
    for number in range(7):
        ClickFactory(affiliate=affiliate, visitor_id=f"{number:032x}", created_at=now)

    answer = browser.get(STATISTICS, headers={"accept-language": language})

    assert f'<td class="number">{rate}</td>' in answer.text


def test_commission_is_drawn_in_its_currency(browser, commission):
    answer = browser.get(STATISTICS)

    assert answer.context["charts"][0].title == "Commission in EUR"
    assert "€10.00" in answer.text


@pytest.mark.parametrize("by", ["week", "month", "link", "country"])
def test_by_steps_and_parts(browser, clicks, by):
    rows = browser.get(f"{STATISTICS}?by={by}").context["rows"]

    assert sum(one["numbers"][0] for one in rows) == 2


def test_csv_of_what_is_shown(browser, clicks):
    answer = browser.get(f"{STATISTICS}?by=country&file=csv")

    assert answer["Content-Disposition"] == 'attachment; filename="statistics.csv"'
    assert "DE" in answer.content.decode()


@pytest.mark.parametrize(
    "query", ["by=affiliate", "first=2026-03-02&last=2026-03-01", "last=tomorrow"]
)
def test_what_cannot_be_shown_is_said(browser, query):
    answer = browser.get(f"{STATISTICS}?{query}")

    assert answer.status_code == 400
    assert "Show everything" in answer.text


def test_where_nothing_happened_the_page_leads_to_the_links(browser):
    page = browser.get(STATISTICS).text

    assert "No clicks and no orders in this period." in page
    assert 'href="/affiliate/links"' in page
