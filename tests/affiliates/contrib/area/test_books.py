"""The affiliate's own books: movements, and the balances of any day."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.selectors import balances_at, balances_of
from affiliates.payouts.rules import PayoutStatus
from tests.factories.ledger import NOW
from tests.factories.payouts import earn
from tests.factories.program import make_commission, make_payout

pytestmark = pytest.mark.django_db
POSTINGS = "/affiliate/postings"
BALANCES = "/affiliate/balances"


@pytest.fixture
def paid(affiliate):
    """30.00 EUR approved on 1 March, 10.00 of it paid out on the 4th."""
    earn(affiliate, 3_000)
    make_payout(affiliate, PayoutStatus.PAID, now=NOW + timedelta(days=3))


def test_movements_say_what_happened(browser, commission, paid):
    page = browser.get(POSTINGS).text

    assert "Commission earned <a" in page
    assert "Commission approved <a" in page
    assert "Payout paid <a" in page
    assert f'href="/affiliate/commissions/{commission.pk}"' in page


def test_movements_of_an_account_of_a_kind(browser, paid):
    def asked(query):
        found = browser.get(f"{POSTINGS}?{query}").context["found"]["postings"]
        return [(one["kind"], one["amount"]) for one in found]

    assert asked("account=payable") == [
        ("payout_requested", "-10.00"),
        ("approved", "30.00"),
    ]
    assert asked("kind=payout_paid&account=paid_out") == [("payout_paid", "10.00")]
    assert asked("account=payable&last=2026-03-01") == [("approved", "30.00")]


def test_balances_of_any_day(browser, paid):
    def on(day):
        found = browser.get(f"{BALANCES}?day={day}").context["balances"]
        return [
            {part["account"]: part["amount"] for part in one["accounts"]}
            for one in found
        ]

    accounts = ("pending", "held", "payable", "clearing", "paid_out")
    nothing = dict.fromkeys(accounts, "0.00")
    assert on("2026-02-28") == []
    assert on("2026-03-01") == [nothing | {"payable": "30.00"}]
    assert on("2026-03-04") == [nothing | {"payable": "20.00", "paid_out": "10.00"}]
    assert on("") == on("2026-03-04")


def test_every_balance_is_the_sum_of_the_rows_it_leads_to(browser, paid, affiliate):
    make_commission(affiliate, CommissionStatus.HELD, now=NOW)
    answer = browser.get(f"{BALANCES}?day=2026-03-04")

    [balance] = answer.context["balances"]
    for part in balance["accounts"]:
        path = f"{POSTINGS}?account={part['account']}&currency=EUR&last=2026-03-04"
        assert path.replace("&", "&amp;") in answer.text
        rows = browser.get(path).context["found"]["postings"]
        assert sum(Decimal(row["amount"]) for row in rows) == Decimal(part["amount"])


def test_at_the_end_they_are_the_balances_that_are_kept(affiliate, commission, paid):
    end = NOW + timedelta(days=365)
    kept = balances_of(affiliate.pk)

    assert balances_at(affiliate.pk, end, now=end) == kept != {}
    assert balances_at(affiliate.pk, end, now=NOW) == kept
    assert balances_at(affiliate.pk, NOW, now=NOW) == {}


def test_what_is_no_day_is_said(browser):
    assert browser.get(f"{BALANCES}?day=yesterday").status_code == 400


def test_others_books_are_not_shown(browser, rival):
    earn(rival)

    assert "Movements appear here with" in browser.get(POSTINGS).text
    assert "Nothing had been earned by" in browser.get(BALANCES).text
