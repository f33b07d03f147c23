"""The first page: what became of the money, each number with its rows; what to do first."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape

import pytest

from affiliates.commissions.rules import CommissionStatus
from affiliates.payouts.rules import PayoutStatus
from tests.factories.affiliates import ClickFactory
from tests.factories.ledger import NOW
from tests.factories.payouts import DestinationFactory, earn, take_back
from tests.factories.program import make_commission, make_payout

pytestmark = pytest.mark.django_db
SPAN = "first=2026-02-01&last=2026-03-31"
ROW = re.compile(r'href="(/affiliate/postings[?]kind=[^"]*)"')
OF_BALANCE = re.compile(r'href="(/affiliate/postings[?]account=[^"]*)"')


@pytest.fixture
def busy(affiliate, commission):
    make_commission(affiliate, CommissionStatus.HELD, now=NOW)
    earn(affiliate, 3_000)
    take_back(affiliate, 500)
    make_payout(affiliate, PayoutStatus.PAID, now=NOW + timedelta(days=3))


def test_what_became_of_the_money(browser, busy):
    answer = browser.get(f"/affiliate/?{SPAN}")

    [found] = answer.context["waterfall"]["currencies"]
    assert '<th scope="row">Commission reversed</th>' in answer.text
    assert found["currency"] == "EUR"
    assert {one["kind"]: one["amount"] for one in found["flows"]} == {
        "earned": "50.00",
        "held": "10.00",
        "released": "0.00",
        "approved": "30.00",
        "reversed": "-5.00",
        "payout_requested": "10.00",
        "payout_paid": "10.00",
    }


def test_every_number_is_the_sum_of_the_rows_it_leads_to(browser, busy):
    answer = browser.get(f"/affiliate/?{SPAN}")

    [found] = answer.context["waterfall"]["currencies"]
    paths = [unescape(path) for path in ROW.findall(answer.text)]
    assert len(paths) == len(found["flows"]) == 7
    for path, flow in zip(paths, found["flows"], strict=True):
        rows = browser.get(path).context["found"]["postings"]
        assert sum(Decimal(row["amount"]) for row in rows) == Decimal(flow["amount"])


def test_every_balance_leads_to_the_rows_that_it_is_the_sum_of(browser, busy):
    answer = browser.get("/affiliate/")

    [balance] = answer.context["balances"]
    paths = [unescape(path) for path in OF_BALANCE.findall(answer.text)]
    sums = []
    for path in paths:
        rows = browser.get(path).context["found"]["postings"]
        sums.append(sum(Decimal(row["amount"]) for row in rows))
    names = ("pending", "held", "payable", "being_paid", "paid_out")
    assert sums == [Decimal(balance[name]) for name in names]


def test_where_payouts_go_is_said_on_the_page_that_a_first_step_leads_to(browser):
    answer = browser.get("/affiliate/")

    assert '<a href="/affiliate/destination">Say where payouts go</a>' in answer.text


def test_other_days_and_others_have_nothing(browser, busy, rival):
    earn(rival)

    for query in ("last=2026-02-28", "first=2026-03-05"):
        answer = browser.get(f"/affiliate/?{query}")
        assert answer.context["waterfall"]["currencies"] == []
        assert "Nothing moved in these days." in answer.text
    assert (
        browser.get("/affiliate/?first=2026-03-05&last=2026-03-01").status_code == 400
    )


def test_first_steps_are_shown_until_all_are_done(browser, affiliate, link, now):
    begun = browser.get("/affiliate/")
    ClickFactory(affiliate=affiliate, visitor_id="1" * 32, created_at=now)
    DestinationFactory(affiliate=affiliate)
    make_commission(affiliate, CommissionStatus.PENDING, now=NOW)
    done = browser.get("/affiliate/")

    steps = [one["is_done"] for one in begun.context["first_steps"]]
    assert steps == [True, False, False, False]
    assert "Done: Make a link" in begun.text
    assert done.context["first_steps"] == []
    assert "First steps" not in done.text
