"""Any span of days beside as many before it."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from moneyed import Money

from affiliates.core.ids import new_id
from tests.factories.affiliates import ClickFactory
from tests.factories.books import CommissionFactory
from tests.factories.ledger import SaleFactory

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
    counts = [one["figures"]["counts"] for one in answer.context["rows"]]
    names = ("human_clicks", "unique_clicks", "orders", "sales")
    assert [[one[name] for name in names] for one in counts] == [[1, 1, 0, 0]] * 2
    assert data["before"]["figures"]["counts"]["clicks"] == 0
    assert [chart.title for chart in answer.context["charts"]] == [
        "Human clicks",
        "Orders",
    ]
    assert "Days are those of Europe/Berlin" in answer.text
    assert "(so far)" in answer.text
    assert [one["label"] for one in answer.context["rows"]] == [
        "1 Mar 2026",
        "28 Feb 2026",
    ]


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
    assert "<h2>Commission in EUR</h2>" in answer.text
    assert "currency" not in answer.context["filters"].fields


@pytest.mark.parametrize(
    ("query", "currency", "shown", "hidden"),
    [
        ("", "EUR", "€10.00", "$"),
        ("?currency=USD", "USD", "$30.00", "€"),
        ("?currency=GBP", "EUR", "€10.00", "$"),
    ],
)
def test_amounts_are_of_one_currency(
    browser, affiliate, commission, now, query, currency, shown, hidden
):
    sale = SaleFactory(
        order_referral=commission.sale.order_referral,
        net=Money("300.00", "USD"),
        payment__invoice_ref="invoice-2",
        invoice_ref="invoice-2",
        paid_at=now,
        renewal_number=1,
    )
    CommissionFactory(
        affiliate=affiliate,
        sale=sale,
        plan_version=commission.plan_version,
        currency="USD",
        amount=3000,
    )

    answer = browser.get(f"{STATISTICS}{query}")

    titles = [chart.title for chart in answer.context["charts"]]
    assert titles == [f"Commission in {currency}", "Human clicks", "Orders"]
    [(code, earned)] = answer.context["rows"][0]["figures"]["amounts"].items()
    assert (code, earned["commission"]) == (currency, shown[1:])
    assert f"<h2>Revenue in {currency}</h2>" in answer.text
    assert hidden not in answer.text
    assert f'aria-current="true">{currency}</a>' in answer.text


def test_twelve_months_are_one_step_away(browser, clicks):
    page = browser.get(STATISTICS)
    [link] = re.findall(r'href="\?([^"]+)">12 months<', page.text)

    answer = browser.get(f"{STATISTICS}?{unescape(link)}")

    labels = [one["label"] for one in answer.context["rows"]]
    assert (labels[0], labels[-1], len(labels)) == ("Mar 2026", "Apr 2025", 12)
    sentences = [chart.sentence for chart in answer.context["charts"]]
    assert sentences[0] == "2 (period before: 0). Best month: Feb 2026 (1)."
    assert 'aria-current="true">12 months' in answer.text
    assert "by=month" not in re.findall(r'href="\?([^"]+)">7 days<', answer.text)[0]


@pytest.mark.parametrize("by", ["week", "month", "link", "coupon", "country"])
def test_by_steps_and_parts(browser, clicks, by):
    rows = browser.get(f"{STATISTICS}?by={by}").context["rows"]

    assert sum(one["figures"]["counts"]["human_clicks"] for one in rows) == 2
    if by == "link":
        assert "Your short address" in [one["label"] for one in rows]


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
