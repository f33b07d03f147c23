"""The list of e-mails: by day, each with its amount and the row that it is about."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.adapter import get_adapter
from affiliates.emails.types import money
from tests.factories.emails import EmailFactory

pytestmark = pytest.mark.django_db
NOTIFICATIONS = "/affiliate/notifications"
EUR = money(12_50, "EUR")
PAID = {"payout": 17, "amount": EUR}
APPROVED = {"invoice": "ref-1", "commission_id": 1042, "left": EUR}


@pytest.fixture(autouse=True)
def _numbers(monkeypatch):
    def invoice_numbers(self, invoice_refs, *, brand_id):
        return {ref: f"2026-{ref}" for ref in invoice_refs}

    monkeypatch.setattr(type(get_adapter()), "invoice_numbers", invoice_numbers)


def sent(affiliate, kind, **fields):
    fields = {"state": "sent", "subject": "", "text": "", **fields}
    return EmailFactory(brand=affiliate.brand, affiliate=affiliate, kind=kind, **fields)


def lines_of(page: str) -> list[str]:
    """Each line as text, with its links as ``[text](address)``."""
    listed = page.partition("E-mails you were sent")[2].partition("Which e-mails")[0]
    lines = re.findall(r"<li>(.*?)</li>", listed, re.DOTALL)
    linked = [re.sub(r'<a href="(.*?)">(.*?)</a>', r"[\2](\1)", line) for line in lines]
    return [" ".join(re.sub(r"<[^>]*>", " ", line).split()) for line in linked]


def test_amount_and_row_stay_when_the_text_is_gone(browser, affiliate, now):
    sent(affiliate, "commission_approved", facts=APPROVED)
    sent(affiliate, "paid", facts=PAID, created_at=now + timedelta(hours=1))

    assert lines_of(browser.get(NOTIFICATIONS).text) == [
        "Payout paid €12.50 13:00 · [Payout 17](/affiliate/payouts/17)",
        "Commission approved €12.50 12:00 · "
        "[Invoice 2026-ref-1](/affiliate/commissions/1042)",
    ]


def test_subject_leads_to_the_text_that_is_kept(browser, affiliate, now):
    earned = [EUR, money(3_00, "USD")]
    email = sent(
        affiliate, "digest", subject="News", text="Hello", facts={"earned": earned}
    )
    sent(affiliate, "sale", created_at=now - timedelta(days=1), state="failed")

    page = browser.get(NOTIFICATIONS).text
    text = browser.get(f"{NOTIFICATIONS}/{email.pk}").text

    assert lines_of(page) == [
        f"[News]({NOTIFICATIONS}/{email.pk}) €12.50 · $3.00 12:00 · "
        "[See your commissions](/affiliate/commissions)",
        "Sale 12:00 · Failed",
    ]
    assert "<dt>Amount</dt><dd>€12.50 · $3.00" in text
    assert '<a href="/affiliate/commissions">See your commissions</a>' in text


def test_days_are_those_on_which_it_was_sent_where_the_affiliate_is(
    browser, affiliate, now
):
    affiliate.time_zone = "Pacific/Auckland"
    affiliate.save()
    for kind, created, finished in (("paid", -2, -2), ("digest", -9, 0)):
        sent(
            affiliate,
            kind,
            created_at=now + timedelta(hours=created),
            finished_at=now + timedelta(hours=finished),
        )

    page = browser.get(NOTIFICATIONS).text

    assert re.findall("<h3>(.*?)</h3>", page) == ["2 Mar 2026", "1 Mar 2026"]
    assert lines_of(page)[0].startswith("Digest 01:00")


def test_more_emails_take_no_more_queries(browser, affiliate):
    def queries(count: int) -> int:
        for _ in range(count):
            sent(affiliate, "commission_approved", facts=APPROVED)
        with CaptureQueriesContext(connection) as captured:
            browser.get(NOTIFICATIONS)
        return len(captured)

    assert queries(1) == queries(9)
