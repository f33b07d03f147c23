"""Whom an affiliate sent, and what it may read of their orders."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from itertools import product

import pytest

from affiliates.commissions.models import Commission
from affiliates.contrib.area.api.orders import ORDERS as LISTING
from affiliates.contrib.area.api.orders import order_data
from affiliates.errors import NotFound
from tests.affiliates.api.calls import refusal
from tests.affiliates.till import order_of
from tests.database import queries_of
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.decisions import make_touch
from tests.factories.ledger import (
    ClientReferralFactory,
    OrderReferralFactory,
    decision_of,
)

ORDERS = "/api/affiliate/orders"
REFERRALS = "/api/affiliate/referrals"


@pytest.fixture(autouse=True)
def _clock(clock):
    """The service's clock stands still."""


@pytest.fixture
def bound(affiliate, buyer):
    """The buyer is the affiliate's since its registration."""
    return ClientReferralFactory(affiliate=affiliate, client=buyer)


@pytest.fixture
def late_order(affiliate, buyer, bound, now):
    """An order of the buyer's, 92 days after the click."""
    late = make_touch(timedelta(days=92), affiliate.pk, now=now)
    return OrderReferralFactory(
        brand=affiliate.brand, client=buyer, made=decision_of(late)
    )


def listed(caller, query=""):
    return caller.get(f"{ORDERS}?{query}").json()["data"]["orders"]


def test_order_with_its_reason_and_what_it_earned(partner, order, plan, till, now):
    till.pay("90.00", "10.00")
    till.refund("20.00")

    [found] = listed(partner)

    [earned] = found.pop("commissions")
    earned.pop("id")
    assert earned == {
        "status": "pending",
        "currency": "EUR",
        "amount": "10.00",
        "taken_back": "-2.00",
        "invoice": "invoice-1",
        "products": ["product-1"],
        "sale_currency": "EUR",
        "sale_amount": "100.00",
    }
    assert found == {
        "id": order.pk,
        "order": "order-1",
        "number": "order-1",
        "converted_at": "2026-03-01T12:00:00+00:00",
        "client": {"email": "c…@e….com", "name": ""},
        "is_credited": True,
        "is_held": False,
        "decision": {
            "summary": "This order is credited to you.",
            "reason": "",
            "sentences": ["Your click of 28 Feb 2026 won."],
            "clicks": [
                {
                    "touched_at": "2026-02-28T12:00:00+00:00",
                    "verdict": "won",
                    "sentence": "Your click of 28 Feb 2026 won.",
                }
            ],
        },
        "sales": [{"currency": "EUR", "amount": "100.00"}],
    }


def test_order_of_an_own_client_that_is_not_credited_says_why(partner, late_order):
    [found] = listed(partner)

    assert found["is_credited"] is False
    assert found["decision"]["reason"] == "outside_window"
    assert found["decision"]["sentences"] == [
        "Your click of 29 Nov 2025 was 2 days outside the 90-day window."
    ]
    assert found["commissions"] == []
    one = partner.get(f"{ORDERS}/{late_order.pk}").json()
    assert one == {"data": found}


@pytest.fixture
def lost_order(affiliate, rival, buyer, now):
    """An order by the affiliate's click and a later one of the rival's."""
    mine = make_touch(timedelta(days=3), affiliate.pk, now=now)
    theirs = make_touch(timedelta(days=1), rival.pk, now=now)
    return OrderReferralFactory(
        brand=affiliate.brand,
        client=buyer,
        order_ref="lost-order",
        made=decision_of(mine, theirs),
    )


def test_lost_order_names_nobody_and_shows_no_client_of_others(
    partner, affiliate, brand, buyer, lost_order, plan, till
):
    till.pay("90.00", order="lost-order", invoice=lost_order.invoice_ref)
    brand.masks_clients = False
    brand.save()

    [found] = listed(partner, "outcome=lost")

    touched_at = found["decision"]["clicks"][0]["touched_at"]
    sentence = "Another affiliate's later click won over your click of 26 Feb 2026."
    assert found == {
        "id": lost_order.pk,
        "order": "lost-order",
        "number": "lost-order",
        "converted_at": "2026-03-01T12:00:00+00:00",
        "client": {"email": "c…@e….com", "name": ""},
        "is_credited": False,
        "is_held": False,
        "decision": {
            "summary": "This order is not credited to you.",
            "reason": "later_click_won",
            "sentences": [sentence],
            "clicks": [
                {
                    "touched_at": touched_at,
                    "verdict": "later_click_won",
                    "sentence": sentence,
                }
            ],
        },
        "sales": [],
        "commissions": [],
    }
    assert touched_at == "2026-02-26T12:00:00+00:00"
    ClientReferralFactory(affiliate=affiliate, client=buyer)
    assert listed(partner)[0]["client"]["email"] == buyer.email


def test_lost_orders_are_read_by_those_who_took_part_alone(
    affiliate, rival, lost_order, host
):
    elsewhere = BrandFactory(client_area="other.example.net")
    stranger = AffiliateFactory(
        brand=elsewhere, user=host.client(elsewhere, email="stranger@example.com")
    )
    unseen = AffiliateFactory(
        brand=affiliate.brand,
        user=host.client(affiliate.brand, email="unseen@example.com"),
    )

    def found(reader):
        orders = LISTING.page(reader, {})["orders"]
        return [(one["order"], one["decision"]["reason"]) for one in orders]

    assert found(affiliate) == [("lost-order", "later_click_won")]
    assert found(rival) == [("lost-order", "")]
    assert found(stranger) == found(unseen) == []
    for one in (stranger, unseen):
        with pytest.raises(NotFound):
            order_data(one, lost_order.pk)


def test_orders_of_others_are_not_found(partner, rival, buyer, host, brand):
    other = order_of(rival, buyer)

    assert listed(partner) == []
    assert refusal(partner.get(f"{ORDERS}/{other.pk}")) == (404, "not_found", None)


def test_orders_by_what_is_asked(partner, order, late_order):
    assert [one["id"] for one in listed(partner)] == [late_order.pk, order.pk]
    assert [one["id"] for one in listed(partner, "outcome=credited")] == [order.pk]
    assert [one["id"] for one in listed(partner, "outcome=lost")] == [late_order.pk]
    assert len(listed(partner, "outcome=all")) == 2
    assert partner.get(f"{ORDERS}?outcome=won").status_code == 400
    assert [one["id"] for one in listed(partner, "order=order-1")] == [order.pk]
    assert listed(partner, "last=2026-02-28") == []


@pytest.fixture
def kinds(affiliate, rival, host, now):
    """An order for each way to be the affiliate's: credited, took part, bound, claimed."""
    found = {}
    for place, kind in enumerate(product([True, False], repeat=4)):
        is_credited, took_part, is_bound, is_claimed = kind
        touches = [make_touch(timedelta(days=1), rival.pk, now=now)]
        if took_part:
            touches.append(make_touch(timedelta(days=3), affiliate.pk, now=now))
        client = host.client(affiliate.brand, email=f"{place}@example.org")
        if is_bound:
            ClientReferralFactory(affiliate=affiliate, client=client)
        order = OrderReferralFactory(
            brand=affiliate.brand,
            client=client,
            made=decision_of(*touches),
            converted_at=now + timedelta(hours=place * 5 % 7),
        )
        if is_credited:
            order.change(affiliate=affiliate)
        if is_claimed:
            MissingSaleClaimFactory(affiliate=affiliate, referral=order)
        found[kind] = order
    return found


@pytest.mark.parametrize("ordering", ["-converted_at", "converted_at"])
@pytest.mark.parametrize(
    ("outcome", "count"), [("all", 15), ("credited", 8), ("lost", 7)]
)
def test_pages_have_each_order_once_for_whatever_it_is_theirs(
    affiliate, kinds, outcome, count, ordering
):
    shown = {"all": (True, False), "credited": (True,), "lost": (False,)}[outcome]
    theirs = [one for kind, one in kinds.items() if any(kind) and kind[0] in shown]
    theirs.sort(key=lambda one: (one.converted_at, one.pk), reverse="-" in ordering)
    listing = replace(LISTING, size=3)
    query = {"outcome": outcome, "ordering": ordering}

    pages = [
        listing.page(affiliate, {**query, "page": str(n)})
        for n in range(1, -(-count // 3) + 1)
    ]

    found = [one for page in pages for one in page["orders"]]
    assert [(one["id"], one["is_credited"]) for one in found] == [
        (one.pk, one.affiliate_id == affiliate.pk) for one in theirs
    ]
    assert len(theirs) == count
    assert {page["pages"] for page in pages} == {-(-count // 3)}


def test_clients_are_shown_where_the_brand_says_so(partner, brand, buyer, bound):
    masked = partner.get(REFERRALS).json()["data"]["referrals"]
    brand.masks_clients = False
    brand.save()
    shown = partner.get(REFERRALS).json()["data"]["referrals"]

    assert masked[0]["client"] == {"email": "c…@e….com", "name": ""}
    assert shown[0]["client"]["email"] == buyer.email


def test_referral_with_the_count_of_its_orders(partner, bound, order):
    [found] = partner.get(REFERRALS).json()["data"]["referrals"]

    found.pop("client")
    assert found == {
        "id": bound.pk,
        "bound_at": "2026-03-01T12:00:00+00:00",
        "touched_at": "2026-02-28T12:00:00+00:00",
        "step": "register",
        "orders": 1,
    }


def test_referrals_of_others_are_not_listed(partner, rival, buyer):
    ClientReferralFactory(affiliate=rival, client=buyer)

    assert partner.get(REFERRALS).json()["data"]["referrals"] == []


@pytest.mark.parametrize("path", [ORDERS, REFERRALS])
def test_a_page_costs_the_same_however_many_they_are(
    partner, affiliate, brand, host, path, order, bound, now
):
    partner.get(path)
    before = queries_of(lambda: partner.get(path))
    for number in range(5):
        client = host.client(brand, email=f"client-{number}@example.org")
        ClientReferralFactory(affiliate=affiliate, client=client)
        order_of(affiliate, client)
        lost = make_touch(timedelta(days=92), affiliate.pk, now=now)
        OrderReferralFactory(brand=brand, client=client, made=decision_of(lost))

    # The bare host asks for each client by itself.
    each = 0 if host.knows_invoices_early is False else 10
    assert before <= 11
    assert queries_of(lambda: partner.get(path)) <= before + each


@pytest.fixture
def file(partner):
    """The orders as a file, each by its number."""

    def file():
        answer = partner.get(ORDERS, headers={"accept": "text/csv"})
        rows = csv.DictReader(StringIO(answer.content.decode("utf-8-sig")))
        return {row["order"]: row for row in rows}

    return file


def test_csv_has_the_sentences(file, late_order):
    [row] = file().values()

    assert list(row) == [
        "client.email",
        "client.name",
        "id",
        "order",
        "number",
        "converted_at",
        "is_credited",
        "is_held",
        "decision.summary",
        "decision.reason",
        "decision.sentences",
        "sales",
        "commissions",
    ]
    assert "was 2 days outside the 90-day window." in row["decision.sentences"]
    assert row["sales"] == row["commissions"] == ""


def test_csv_has_what_each_order_earned(file, affiliate, order, late_order, till, plan):
    till.pay()
    till.pay("50.00", invoice="invoice-2", renewal=1)
    till.refund("25.00")
    Commission.objects.filter(sale__renewal_number=1).update(status="approved")

    found = {name: row["commissions"] for name, row in file().items()}

    assert found == {
        "order-1": "7.50 EUR pending; 5.00 EUR approved",
        late_order.order_ref: "",
    }
    assert {tuple(row) for row in file().values()} == {tuple(file()["order-1"])}
