"""What the brand owes, beside the sums of the rows themselves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.desk.figures.owed import (
    maturing,
    owed_now,
    paid,
    program_cost,
)
from affiliates.ledger.models import AccountBalance
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from tests.affiliates.till import order_of
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.plans import CommissionPlanFactory, CouponCodeFactory
from tests.factories.program import make_program

PAGE = "admin:affiliates_brand_owed"
STATES = {"pending": 0, "held": 1, "payable": 2, "clearing": 3}


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def program(affiliate, now):
    return make_program(affiliate, now=now)


def balances(brand, account, sign):
    """In SQL: the sum by currency, of the balances above or below zero."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT b.currency, SUM(b.amount) FROM affiliates_accountbalance b "
            "JOIN affiliates_affiliate a ON a.id = b.affiliate_id "
            "WHERE a.brand_id = %s AND b.account = %s AND b.amount * %s > 0 "
            "GROUP BY b.currency",
            [brand.pk, account, sign],
        )
        return {code: int(amount) for code, amount in cursor.fetchall()}


def test_each_state_is_the_sum_of_its_balances(program, brand):
    rows = owed_now([brand])

    for account, place in STATES.items():
        assert rows[place].amounts == balances(brand, account, 1)
        assert rows[place].amounts["EUR"] > 0
    assert rows[4].amounts == balances(brand, "payable", -1) == {}


def test_a_debt_is_not_taken_off_what_others_are_owed(
    program, brand, affiliate, rival, admin_client
):
    before = owed_now([brand])[2].amounts
    AccountBalance.objects.create(
        affiliate=rival, account="payable", currency="EUR", amount=-500
    )

    rows = owed_now([brand])
    page = admin_client.get(reverse(PAGE), {"brand": brand.pk})

    assert rows[2].amounts == before
    assert (rows[4].amounts, rows[4].number) == ({"EUR": -500}, 1)
    owed = sum(row.amounts["EUR"] for row in rows[:4])
    assert page.context["sentence"] == f"We owe affiliates €{owed / 100:.2f}."


def test_affiliate_with_balances_in_two_currencies_counts_once(brand, affiliate, rival):
    for owner, currency in ((affiliate, "EUR"), (affiliate, "USD"), (rival, "EUR")):
        AccountBalance.objects.create(
            affiliate=owner, account="payable", currency=currency, amount=500
        )

    payable = owed_now([brand])[2]

    assert payable.amounts == {"EUR": 1000, "USD": 500}
    assert payable.number == 2


def test_each_number_leads_to_its_rows(program, brand, admin_client):
    tables = admin_client.get(reverse(PAGE), {"brand": brand.pk}).context["tables"]

    rows = [row for _, _, found in tables for row in found if row["path"]]
    for row in rows:
        listed = admin_client.get(row["path"]).context["cl"]
        assert listed.result_count > 0, row["words"]
    [_, _, owed], [_, _, holds], [_, _, payouts], [_, _, costs] = tables
    for row in [*holds, *payouts]:
        if row["path"]:
            listed = admin_client.get(row["path"]).context["cl"]
            assert listed.result_count == row["count"]
    assert len(owed) == 5
    assert [row["words"] for row in costs] == ["This month", "Last month"]


def test_discounts_by_codes_are_part_of_the_programs_cost(
    affiliate, brand, buyer, till, now
):
    CommissionPlanFactory(brand=brand, is_default=True, rules=[{"percent": 10}])
    coupon = CouponCodeFactory(affiliate=affiliate, code="ADA10")
    order_of(
        affiliate,
        buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        coupon_code=coupon.code,
    )
    till.pay("90.00", discount="10.00", at=now)

    this_month, last_month = program_cost([brand], now)

    assert (this_month.amounts, this_month.number) == ({"EUR": 1900}, 1)
    assert this_month.definition == "Of it discounts by coupon codes: €10.00."
    assert (last_month.amounts, last_month.definition) == ({}, "")


@pytest.mark.parametrize(
    ("days", "place"), [(-1, 0), (0, 0), (3, 1), (7, 1), (8, 2), (30, 2), (31, 3)]
)
def test_a_pending_commission_is_under_the_end_of_its_hold(
    program, brand, now, days, place
):
    pending = Commission.objects.filter(status=CommissionStatus.PENDING)
    pending.update(matures_at=now + timedelta(days=days))
    amounts = [
        one.amount + sum(back.amount for back in one.reversals.all()) for one in pending
    ]

    rows = maturing([brand], brand.zone(), now)

    assert [row.number for row in rows] == [
        len(amounts) if number == place else 0 for number in range(4)
    ]
    assert rows[place].amounts == {"EUR": sum(amounts)}


def test_paid_counts_by_the_day_of_payment(program, brand, now):
    payout = Payout.objects.get(status=PayoutStatus.PAID)
    this = timezone.localtime(now).replace(day=1, hour=12)
    Payout.objects.filter(pk=payout.pk).update(finished_at=this)
    found = [(row.amounts, row.number) for row in paid([brand], brand.zone(), now)]
    assert found == [({"EUR": payout.amount}, 1), ({}, 0)]

    last = this - timedelta(days=1)
    Payout.objects.filter(pk=payout.pk).update(finished_at=last)

    found = [(row.amounts, row.number) for row in paid([brand], brand.zone(), now)]
    assert found == [({}, 0), ({"EUR": payout.amount}, 1)]


def test_only_of_the_brand(program, now):
    other = BrandFactory(name="Other", client_area="other.example.com")

    zone = other.zone()
    found = owed_now([other]), maturing([other], zone, now), paid([other], zone, now)
    for rows in found:
        assert [(row.amounts, row.number) for row in rows] == [({}, 0)] * len(rows)


def test_says_in_words_that_nothing_is_owed(brand, admin_client):
    text = admin_client.get(reverse(PAGE)).content.decode()

    assert "We owe nothing: no affiliate has a balance." in text


def test_needs_all_that_it_shows(brand, admin_user, admin_client):
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_brand", "view_accountbalance", "view_commission"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))
    assert admin_client.get(reverse(PAGE)).status_code == 403

    payout = Permission.objects.get(codename="view_payout")
    admin_user.user_permissions.add(payout)

    assert admin_client.get(reverse(PAGE)).status_code == 200


def test_all_brands_are_added_up_by_currency_without_test_brands(
    program, brand, affiliate, host, admin_client
):
    other = BrandFactory(name="Other", client_area="other.example.com")
    test = BrandFactory(name="Test", client_area="test.example.com", is_test=True)
    for one, currency in ((other, "USD"), (test, "CHF")):
        user = host.client(one, email=f"{currency}@example.com")
        of_one = AffiliateFactory(brand=one, user=user)
        AccountBalance.objects.create(
            affiliate=of_one, account="payable", currency=currency, amount=700
        )
    alone = owed_now([brand])

    page = admin_client.get(reverse(PAGE), {"brand": "all"})

    owed = sum(row.amounts["EUR"] for row in alone[:4])
    sentence = f"We owe affiliates €{owed / 100:.2f} and $7.00."
    assert page.context["sentence"] == sentence
    [_, headings, rows] = page.context["tables"][0]
    assert headings[2:] == ["EUR", "USD"]
    assert rows[2]["count"] == alone[2].number + 1
    assert (
        admin_client.get(rows[2]["path"]).context["cl"].result_count
        == (rows[2]["count"])
    )
