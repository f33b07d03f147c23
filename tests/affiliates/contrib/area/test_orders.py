"""Orders of the clients whom the affiliate sent, each with its reason."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.contrib.area.earnings.orders import advice_for
from affiliates.referrals.rules.choices import Verdict
from tests.affiliates.till import order_of
from tests.factories.decisions import make_touch
from tests.factories.ledger import (
    ClientReferralFactory,
    OrderReferralFactory,
    decision_of,
)

pytestmark = pytest.mark.django_db
ORDERS = "/affiliate/orders"
REFERRALS = "/affiliate/referrals"
CLAIM = "/affiliate/claims/new"


@pytest.fixture
def bound(affiliate, buyer):
    """The buyer is the affiliate's since its registration."""
    return ClientReferralFactory(affiliate=affiliate, client=buyer)


@pytest.fixture
def late_order(affiliate, buyer, bound, now):
    """An order of the buyer's, 92 days after the click."""
    late = make_touch(timedelta(days=92), affiliate.pk, now=now)
    return OrderReferralFactory(
        brand=affiliate.brand,
        client=buyer,
        made=decision_of(late),
        order_ref="late-order",
    )


def test_each_with_its_sale_and_the_reason_where_it_is_lost(
    browser, commission, late_order
):
    answer = browser.get(ORDERS)

    late, earned = answer.context["found"]["rows"]
    assert (late["status"], late["sales"], late["earned"]) == ("lost", {}, {})
    assert earned["first"]["products"] == ["product-1"]
    assert earned["sales"] == {"EUR": Decimal("100.00")}
    assert earned["earned"] == {"EUR": Decimal("10.00")}
    assert earned["statuses"] == ["pending"]
    assert "invoice-1" in answer.text
    assert "This order is credited to you." not in answer.text
    assert "was 2 days outside the 90-day window." in answer.text


def test_credited_or_not_and_of_days(browser, order, late_order):
    def asked(query):
        found = browser.get(f"{ORDERS}?{query}").context["found"]["orders"]
        return [one["order"] for one in found]

    assert asked("") == asked("first=&outcome=") == ["late-order", "order-1"]
    assert asked("outcome=credited") == ["order-1"]
    assert asked("outcome=lost") == ["late-order"]
    assert asked("last=2026-02-28") == []


def test_a_choice_that_finds_nothing_leads_back(browser, order):
    page = browser.get(f"{ORDERS}?last=2026-02-28").text

    assert "Nothing is found for this choice." in page
    assert '<a href="?">Show everything</a>' in page


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (ORDERS, "when a visitor who came by your link places one"),
        (REFERRALS, "when a visitor who came by your link registers"),
    ],
)
def test_where_nothing_is_yet_the_page_says_how_it_begins(browser, path, words):
    assert words in browser.get(path).text


def test_what_cannot_be_read_is_said(browser):
    for query in ("first=tomorrow", "first=tomorrow&file=csv", "outcome=odd"):
        answer = browser.get(f"{ORDERS}?{query}")
        assert answer.status_code == 400
        assert "Show everything" in answer.text


def test_all_found_as_csv(browser, order, late_order):
    answer = browser.get(f"{ORDERS}?outcome=lost&file=csv")

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.content.decode("utf-8-sig")
    assert "late-order" in text
    assert "order-1" not in text


def test_one_with_what_became_of_each_click(browser, affiliate, rival, buyer, now):
    mine = [make_touch(timedelta(days=d), affiliate.pk, now=now) for d in (3, 95)]
    theirs = make_touch(timedelta(days=1), rival.pk, now=now)
    lost = OrderReferralFactory(
        brand=affiliate.brand,
        client=buyer,
        made=decision_of(*mine, theirs),
        order_ref="A&B 1",
    )

    page = browser.get(f"{ORDERS}/{lost.pk}").text

    assert "This order is not credited to you." in page
    assert "Another affiliate&#x27;s later click won over your click of 26" in page
    assert "was 5 days outside the 90-day window." in page
    assert "Nothing: it is not credited to you." in page
    assert "The program&#x27;s rules decide whose an order is" in page
    assert "rival" not in page
    claim = f"{CLAIM}?order=A%26B%201"
    assert f'href="{claim}"' in page
    assert 'name="order" value="A&amp;B 1"' in browser.get(claim).text


def test_there_is_advice_for_every_reason():
    assert [one for one in Verdict if not advice_for(one)] == [Verdict.WON]


def test_one_with_its_commission(browser, order, commission, till):
    till.refund("20.00")

    page = browser.get(f"{ORDERS}/{order.pk}").text

    assert ">invoice-1</a>" in page
    assert '<span class="badge wait">Pending</span>' in page
    assert "10.00" in page
    assert "-€2.00" in page


def test_an_order_of_others_is_not_there(browser, rival, buyer):
    other = order_of(rival, buyer)

    assert browser.get(f"{ORDERS}/{other.pk}").status_code == 404


def test_clients_are_masked_unless_the_brand_shows_them(browser, brand, buyer, bound):
    masked = browser.get(REFERRALS).text
    brand.masks_clients = False
    brand.save()
    shown = browser.get(REFERRALS).text

    assert "b…@e….com" in masked
    assert buyer.email not in masked
    assert buyer.email in shown
