"""The first page: what became of the money, each number with its rows; what to do first."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from uuid import uuid4

import pytest

from affiliates.commissions.rules import CommissionStatus
from affiliates.payouts.rules import PayoutStatus
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.models import Click
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
        "approved": "30.00",
        "reversed": "-5.00",
        "payout_requested": "10.00",
        "payout_paid": "10.00",
    }


def test_every_number_is_the_sum_of_the_rows_it_leads_to(browser, busy):
    answer = browser.get(f"/affiliate/?{SPAN}")

    [found] = answer.context["waterfall"]["currencies"]
    paths = [unescape(path) for path in ROW.findall(answer.text)]
    assert len(paths) == len(found["flows"]) == 6
    for path, flow in zip(paths, found["flows"], strict=True):
        rows = browser.get(path).context["found"]["postings"]
        assert sum(Decimal(row["amount"]) for row in rows) == Decimal(flow["amount"])


def test_every_balance_leads_to_the_rows_that_it_is_the_sum_of(browser, busy):
    answer = browser.get("/affiliate/")

    [balance] = answer.context["balances"]
    sums = {}
    for path in map(unescape, OF_BALANCE.findall(answer.text)):
        account = path.partition("account=")[2].partition("&")[0]
        rows = browser.get(path).context["found"]["postings"]
        sums[account] = sum(Decimal(row["amount"]) for row in rows)
    assert sums == {
        account: Decimal(balance[account])
        for account in ("payable", "pending", "held", "paid_out")
    }
    # Which is not mentioned.
    assert balance["being_paid"] == "0.00"
    assert balance["waiting"] == "20.00"


def test_overview_says_when_waiting_money_becomes_payable(browser, affiliate):
    make_commission(affiliate, CommissionStatus.PENDING, now=NOW)
    one = browser.get("/affiliate/").text
    later = make_commission(affiliate, CommissionStatus.PENDING, now=NOW)
    later.matures_at += timedelta(days=5)
    later.save()
    make_commission(affiliate, CommissionStatus.MATURED, now=NOW)

    several = browser.get("/affiliate/").text

    assert "All on 31 Mar 2026." in one
    assert "Next: €10.00 on 31 Mar 2026, all by 5 Apr 2026." in several
    assert "€10.00 waits for the approval of the team." in several


def test_a_debt_is_explained_instead_of_offered_for_payout(browser, affiliate):
    earn(affiliate, 6_000)
    DestinationFactory(affiliate=affiliate)
    payable = browser.get("/affiliate/").text
    take_back(affiliate, 7_000)
    owed = browser.get("/affiliate/").text

    assert 'href="/affiliate/payouts/ask/EUR">Ask for €60.00</a>' in payable
    assert "€10.00 will be set off against your next commissions." in owed
    assert "Ask for" not in owed
    payouts = browser.get("/affiliate/payouts").text
    assert "€10.00 will be set off against your next commissions." in payouts
    assert "/payouts/ask/" not in payouts


def test_the_affiliates_own_link_stands_first_with_its_qr_code(browser, affiliate):
    page = browser.get("/affiliate/").text

    assert f'value="{affiliate.url()}"' in page
    assert 'src="/affiliate/qr.svg"' in page
    drawn = browser.get("/affiliate/qr.svg")
    assert drawn["Content-Type"] == "image/svg+xml"


def test_spans_of_7_30_and_90_days_end_today(browser, time_machine, now):
    time_machine.move_to(now, tick=False)

    page = browser.get("/affiliate/?last=2026-02-28").text
    chosen = browser.get("/affiliate/").text

    assert 'href="?last=2026-03-01&first=2026-02-23"' in unescape(page)
    assert 'href="?last=2026-03-01&first=2025-12-02"' in unescape(page)
    current = re.findall(r'<a href="[^"]*" aria-current="true">([^<]*)</a>', chosen)
    assert current == ["30 days"]


def test_where_payouts_go_is_said_on_the_page_that_a_first_step_leads_to(browser):
    answer = browser.get("/affiliate/")

    assert '<a href="/affiliate/destination">Choose where payouts go</a>' in answer.text


def test_other_days_and_others_have_nothing(browser, busy, rival):
    earn(rival)

    for query in ("last=2026-02-28", "first=2026-03-05"):
        answer = browser.get(f"/affiliate/?{query}")
        assert answer.context["waterfall"]["currencies"] == []
        assert "No movements in this period." in answer.text
    assert (
        browser.get("/affiliate/?first=2026-03-05&last=2026-03-01").status_code == 400
    )


def test_first_steps_leave_when_an_order_and_a_destination_are_there(
    browser, affiliate, link, now
):
    ClickFactory(affiliate=affiliate, bot_signs="user_agent", created_at=now)
    begun = browser.get("/affiliate/")
    ClickFactory(affiliate=affiliate, visitor_id="1" * 32, created_at=now)
    link.delete()
    clicked = browser.get("/affiliate/")
    make_commission(affiliate, CommissionStatus.PENDING, now=NOW)
    Click.objects.all().delete()
    ordered = browser.get("/affiliate/")
    DestinationFactory(affiliate=affiliate)
    done = browser.get("/affiliate/")

    def steps(answer):
        return [one["is_done"] for one in answer.context["first_steps"]]

    assert steps(begun) == [True, False, False, False]
    assert "Done: Make a link" in begun.text
    assert steps(clicked) == [True, True, False, False]
    assert steps(ordered) == [True, True, True, False]
    assert steps(done) == []
    assert "First steps" not in done.text


def test_pending_affiliates_are_not_told_to_share(browser, affiliate):
    share = "Share it: you earn a commission"
    active = browser.get("/affiliate/")
    affiliate.status = AffiliateStatus.PENDING
    affiliate.save()
    pending = browser.get("/affiliate/")

    assert share in active.text
    assert share not in pending.text
    assert "It earns nothing until your application is approved" in pending.text
    assert "qr.svg" not in pending.text
    assert [str(one["title"]) for one in pending.context["first_steps"]] == [
        "Wait for approval",
        *(str(one["title"]) for one in active.context["first_steps"]),
    ]
    assert "<li>Wait for approval</li>" in pending.text


def test_figures_stand_beside_those_of_the_days_before(
    browser, affiliate, commission, now, time_machine
):
    time_machine.move_to(now + timedelta(hours=1), tick=False)
    for days in (0, 0, 0, 4, 4):
        at = now - timedelta(days=days)
        ClickFactory(affiliate=affiliate, visitor_id=uuid4(), created_at=at)
    path = "/affiliate/?first=2026-02-27&last=2026-03-01"

    answer = browser.get(path)

    # One more click, of the order, of the day before.
    assert [
        (one["title"], one["this"], one["before"], one["change"])
        for one in answer.context["compared"]
    ] == [
        ("Human clicks", "4", "2", "+100 %"),
        ("Sales", "1", "0", ""),
        ("Conversion rate", "25.0 %", "0.0 %", "+25.0 points"),
        ("Earnings per click in EUR", "€2.50", "€0.00", ""),
    ]
    assert "<strong>+100 %</strong> · Before: 2" in answer.text
    assert answer.context["chart"].title == "Commission in EUR"
    german = browser.get(path, headers={"accept-language": "de"}).text
    assert "<strong>+25,0 Punkte</strong> · Davor: 0,0 %" in german


def test_money_on_its_way_is_no_part_of_what_is_paid(browser, affiliate):
    earn(affiliate, 3_000)
    make_payout(affiliate, PayoutStatus.EXPORTED, now=NOW)

    page = browser.get("/affiliate/")

    [balance] = page.context["balances"]
    assert balance["moving"] == {"payable": "20.00", "being_paid": "10.00"}
    cards = re.findall(r"<h2>([^<]+)</h2>\s+<p class=\"figure\">(.*?)</p>", page.text)
    amounts = [(title, re.sub("<[^>]+>", "", amount)) for title, amount in cards]
    assert amounts[:4] == [
        ("Payable", "€20.00"),
        ("Waiting", "€0.00"),
        ("On its way to you", "€10.00"),
        ("Paid", "€0.00"),
    ]


def test_a_second_currency_is_shown_where_something_is_in_it(browser, affiliate):
    earn(affiliate, 3_000)
    earn(affiliate, 500, "USD")
    in_both = browser.get("/affiliate/").text
    take_back(affiliate, 500, "USD")
    in_one = browser.get("/affiliate/")

    assert in_both.count("<h2>Payable</h2>") == 2
    assert in_both.count("<h2>Waiting</h2>") == in_both.count("<h2>Paid</h2>") == 1
    assert [one["currency"] for one in in_one.context["balances"]] == ["EUR"]
    assert 'aria-label="USD"' not in in_one.text


def test_overview_leads_to_the_terms(browser):
    page = browser.get("/affiliate/").text

    assert '<a href="/affiliate/my-terms">What you earn</a>' in page
