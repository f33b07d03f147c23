"""The file for the accountant: what a brand paid in a year."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.urls import reverse

from affiliates.admin_tools.naming import page_name
from affiliates.payouts.papers.year import HEADINGS, year_rows
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services import statements
from affiliates.payouts.services.statements import issue_credit_note, issue_statement
from tests.database import nothing_written
from tests.factories.books import PayoutFactory
from tests.factories.payouts import DestinationFactory

pytestmark = pytest.mark.django_db


def moment(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.fixture
def paid(now, monkeypatch):
    """Make a paid payout with its statement."""
    printed = statements._document

    def paid(
        owner, amount, at="2026-03-01T12:00", *, currency="EUR", to=None, payee=None
    ):
        destination = DestinationFactory(
            affiliate=owner, to=to or "paypal", usable_from=now
        )
        payout = PayoutFactory(
            affiliate=owner,
            amount=amount,
            currency=currency,
            destination=destination,
            status=PayoutStatus.PAID,
        )
        monkeypatch.setattr(
            statements,
            "_document",
            lambda payout, now: {**printed(payout, now=now), "payee": payee},
        )
        issue_statement(payout, now=moment(at))
        return payout

    return paid


def rows_of(brand, year=2026):
    headings, *rows = year_rows(brand, year)
    assert headings == [*HEADINGS]
    return [[str(cell) for cell in row] for row in rows]


def test_a_row_for_each_affiliate_and_currency(affiliate, rival, paid):
    paid(affiliate, 10_000)
    returned = paid(affiliate, 2_550, "2026-06-01T12:00", to="bank")
    issue_credit_note(returned, now=moment("2026-06-05T12:00"))
    paid(affiliate, 7_512, currency="JPY")
    paid(rival, 300)

    rows = rows_of(affiliate.brand)

    both = "Bank transfer (SEPA), PayPal"
    own, other = affiliate.code, rival.code
    assert sorted(rows) == sorted(
        [
            ["", "", own, "", both, "EUR", "125.50", "25.50", "3"],
            ["", "", own, "", "PayPal", "JPY", "7512", "0", "1"],
            ["", "", other, "", "PayPal", "EUR", "3.00", "0.00", "1"],
        ]
    )
    assert [row[2] for row in rows] == sorted([own, own, other])


def test_a_year_is_that_of_the_brand(affiliate, paid):
    affiliate.brand.time_zone = "Europe/Berlin"
    affiliate.brand.save()
    paid(affiliate, 1_000, "2025-12-31T22:30")
    paid(affiliate, 2_000, "2025-12-31T23:30")
    paid(affiliate, 4_000, "2026-12-31T22:30")
    paid(affiliate, 8_000, "2026-12-31T23:30")

    brand = affiliate.brand
    assert [rows_of(brand, year)[0][6] for year in (2025, 2026, 2027)] == [
        "10.00",
        "60.00",
        "80.00",
    ]


def test_the_payee_is_that_of_the_last_statement(affiliate, paid):
    for name in ("Old Ltd", "=New SRL"):
        payee = {"name": name, "lines": ["Rome"], "ids": ["IT1", "2"], "country": "IT"}
        paid(affiliate, 1_000, payee=payee)

    [row] = rows_of(affiliate.brand)

    own = affiliate.code
    assert row == [
        "'=New SRL",
        "IT",
        own,
        "IT1, 2",
        "PayPal",
        "EUR",
        "20.00",
        "0.00",
        "2",
    ]


def test_staff_save_the_year_of_a_brand(admin_client, affiliate, paid):
    paid(affiliate, 1_000)
    address = reverse(page_name("payoutstatement", "year"))
    values = {"brand": affiliate.brand_id, "year": 2026, "confirmed": "yes"}

    with nothing_written():
        asked, answer = admin_client.get(address), admin_client.post(address, values)

    listed = admin_client.get(reverse(page_name("payoutstatement", "changelist")))
    assert address in listed.text
    assert 'name="year"' in asked.text
    assert answer["Content-Disposition"] == (
        f'attachment; filename="payouts-2026-brand-{affiliate.brand_id}.csv"'
    )
    assert answer.content.decode("utf-8-sig").splitlines() == [
        "Payee,Country,Affiliate,Ids,Method,Currency,Paid,Returned,Statements",
        f",,{affiliate.code},,PayPal,EUR,10.00,0.00,1",
    ]


def test_staff_of_another_brand_are_not_offered_it(
    admin_client, affiliate, sees_nothing
):
    address = reverse(page_name("payoutstatement", "year"))
    values = {"brand": affiliate.brand_id, "year": 2026, "confirmed": "yes"}

    answer = admin_client.post(address, values)

    assert "Select a valid choice." in answer.text
