"""The same events and steps at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from affiliates.commissions.models import Adjustment, Commission, CommissionReversal
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import hold, reject, release
from affiliates.ledger.rules import Account
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale
from affiliates.verification import receipts
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history, order_of
from tests.affiliates.verification.finding import everything_found
from tests.factories.affiliates import AffiliateFactory
from tests.factories.plans import CommissionPlanFactory
from tests.races import at_once, await_lock, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

TIMES = 100
# Most of PostgreSQL's connections are left to others.
AT_ONCE = 25


def many_times(act: Callable[[int], object]) -> None:
    for start in range(0, TIMES, AT_ONCE):
        at_once(AT_ONCE, lambda number, start=start: act(start + number))


def test_same_payment_and_refund_100_times_make_one_commission_and_one_reversal(
    plan, order, till, balance
):
    many_times(lambda number: till.refund("40.00") if number % 2 else till.pay())
    many_times(lambda number: till.pay() if number % 2 else till.refund("40.00"))

    assert Sale.objects.count() == 1
    assert Commission.objects.get().amount == 1000
    assert CommissionReversal.objects.get().amount == -400
    assert balance() == {Account.EXPENSE: -600, Account.PENDING: 600}


def test_order_renewals_and_refunds_at_once_add_up(plan, order, till, balance):
    def act(number: int) -> None:
        renewal = number % 4
        invoice = f"renewal-{renewal}" if renewal else "invoice-1"
        if number % 3:
            till.pay(invoice=invoice, renewal=renewal)
        else:
            till.refund("10.00", invoice=invoice, ref=f"refund-{number % 12}")

    at_once(24, act)

    assert Sale.objects.count() == 4
    taken = sum(CommissionReversal.objects.values_list("amount", flat=True))
    assert taken == -400
    assert balance() == {Account.EXPENSE: -3600, Account.PENDING: 3600}


def test_sales_at_once_stay_below_the_cap(brand, affiliate, buyer, till, balance):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        cap_period="month",
        cap_amounts={"EUR": "25"},
    )
    for number in range(10):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")

    at_once(10, lambda number: till.pay(order=f"o-{number}", invoice=f"i-{number}"))

    assert Commission.objects.count() == 10
    assert balance() == {Account.EXPENSE: -2500, Account.PENDING: 2500}


def test_approvals_at_once_give_one_joining_bonus(
    brand, affiliate, buyer, till, balance
):
    CommissionPlanFactory(
        brand=brand, is_default=True, hold_days=0, joining_bonus={"EUR": "25"}
    )
    for number in range(10):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")

    at_once(10, lambda number: till.pay(order=f"o-{number}", invoice=f"i-{number}"))

    assert Adjustment.objects.count() == 1
    assert balance() == {Account.EXPENSE: -12500, Account.PAYABLE: 12500}


def test_passes_at_once_mature_each_commission_once(
    brand, affiliate, buyer, till, balance
):
    CommissionPlanFactory(brand=brand, is_default=True)
    for number in range(10):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(order=f"o-{number}", invoice=f"i-{number}")

    done = at_once(8, lambda _: mature_due(now=AFTER_HOLD).approved)

    assert sum(done) == 10
    assert balance() == {Account.EXPENSE: -10_000, Account.PAYABLE: 10_000}


def test_staff_and_refund_at_once_agree_on_where_the_money_is(
    plan, order, till, staff, balance
):
    till.pay()
    commission = Commission.objects.get()
    acting = {"commission_ids": [commission.pk], "actor_id": staff.pk, "reason": "Odd"}
    acts = [
        lambda: hold(now=AFTER_HOLD, **acting),
        lambda: mature_due(now=AFTER_HOLD),
        lambda: till.refund("30.00", at=PAID_AT + timedelta(days=2)),
        lambda: release(now=AFTER_HOLD, **acting),
    ]

    at_once(12, lambda number: acts[number % 4]())

    commission.refresh_from_db()
    account = {"held": Account.HELD, "approved": Account.PAYABLE}[commission.status]
    assert balance() == {Account.EXPENSE: -700, account: 700}


def test_sale_whose_refund_is_known_locks_the_affiliate_before_its_balances(
    plan, order, till
):
    till.refund("40.00")

    with CaptureQueriesContext(connection) as asked:
        till.pay()

    statements = [query["sql"] for query in asked]
    locks = [at for at, sql in enumerate(statements) if sql.endswith("NO KEY UPDATE")]
    posts = [at for at, sql in enumerate(statements) if "accountbalance" in sql]
    assert min(locks) < min(posts)


def test_staff_rejecting_at_once_reject_once(plan, order, till, staff, balance):
    till.pay()
    commission = Commission.objects.get()

    done = at_once(
        10,
        lambda _: reject(
            commission_ids=[commission.pk],
            actor_id=staff.pk,
            reason="Odd",
            now=AFTER_HOLD,
        ),
    )

    assert sum(done) == 1
    assert history(commission) == [("", "pending"), ("pending", "rejected")]
    assert balance() == {}


def test_recruits_of_one_recruiter_sell_and_refund_at_once(
    brand, affiliate, rival, buyer, host, till, balance
):
    """Each locks the recruiter's balances as well: in one order, or they would wait."""
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=Decimal(50))
    user = host.client(brand, email="recruiter@example.com")
    recruiter = AffiliateFactory(brand=brand, user=user)
    sellers = [affiliate, rival]
    Affiliate.objects.filter(pk__in=[one.pk for one in sellers]).update(
        recruiter=recruiter
    )
    for number in range(8):
        seller = Affiliate.objects.get(pk=sellers[number % 2].pk)
        order_of(seller, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")

    def act(number: int) -> None:
        invoice = f"i-{number % 8}"
        if number < 16:
            till.pay(order=f"o-{number % 8}", invoice=invoice)
        else:
            till.refund("50.00", invoice=invoice, ref=f"refund of {invoice}")

    at_once(24, act)

    assert Commission.objects.count() == 16
    assert balance(of=recruiter) == {Account.EXPENSE: -2000, Account.PENDING: 2000}
    for one in sellers:
        assert balance(of=one) == {Account.EXPENSE: -2000, Account.PENDING: 2000}


@pytest.mark.parametrize(
    ("apart", "named"),
    [
        (receipts.SURELY_SEEN_AFTER - timedelta(seconds=1), False),
        # What no clock of a host's shows: a transaction that was open for an hour.
        (receipts.SURELY_SEEN_AFTER, True),
    ],
)
def test_sales_of_one_moment_need_not_count_each_other(
    brand, affiliate, buyer, till, apart, named
):
    tier = {"unit": "sales", "from": "1", "percent": "20"}
    rule = {"percent": 10, "tiers": [tier], "tier_period": "month"}
    CommissionPlanFactory(brand=brand, is_default=True, rules=[rule])
    for number in (1, 2):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")

    def pay_later() -> None:
        till.pay(order="o-2", invoice="i-2", at=PAID_AT + apart)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            till.pay(order="o-1", invoice="i-1", at=PAID_AT)
            later = pool.submit(pay_later)
            # It has counted, and waits for the balance that both change.
            await_lock()
        later.result(timeout=60)

    assert [one.amount for one in Commission.objects.order_by("pk")] == [1000, 1000]
    found = [one for one in everything_found() if "counted 0 before it" in one]
    assert bool(found) is named
