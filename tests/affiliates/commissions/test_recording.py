"""What a sale earns the moment it is recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import get_brand
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import reject
from affiliates.fraud.rules.policy import FraudAction, Signal
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account
from affiliates.outbox.active import active_webhooks
from affiliates.plans.rules.amounts import MAX_MINOR_UNITS
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.sales.invoice_lines import MAX_QUANTITY
from affiliates.sales.models import Sale
from affiliates.verification.verify import Verification
from tests.affiliates.till import PAID_AT, history, order_of
from tests.factories.ledger import NOW
from tests.factories.plans import (
    AffiliateGroupFactory,
    CommissionPlanFactory,
    CouponCodeFactory,
)

TRANSACTION_CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
MOST_QUERIES = 25


def test_sale_earns_a_pending_commission_with_a_receipt_for_each_line(
    plan, order, till, affiliate, balance
):
    till.pay("90.00", "10.55")

    commission = Commission.objects.get()
    assert commission.affiliate == affiliate
    assert (commission.amount, commission.currency) == (1006, "EUR")
    assert commission.status == "pending"
    assert commission.reason_text == "Waits for the end of its hold."
    assert commission.earned_at == PAID_AT
    assert commission.matures_at == PAID_AT + timedelta(days=30)
    assert commission.plan_version == plan.versions.get()
    assert [one.amount for one in commission.lines.all()] == [900, 106]
    assert [one.receipt["inputs"]["net"] for one in commission.lines.all()] == [
        9000,
        1055,
    ]
    assert history(commission) == [("", "pending")]
    assert balance() == {Account.EXPENSE: -1006, Account.PENDING: 1006}


def test_the_largest_rate_on_the_largest_quantity_can_be_kept(
    brand, order, till, balance
):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        rules=[
            {
                "rate_kind": "fixed",
                "fixed_amounts": {"EUR": str(MAX_MINOR_UNITS // 100)},
            }
        ],
    )

    till.pay(quantity=MAX_QUANTITY)

    assert Commission.objects.get().amount == 10**18
    assert balance() == {Account.EXPENSE: -(10**18), Account.PENDING: 10**18}


def test_affiliate_on_no_plan_earns_no_commission(order, till, balance):
    till.pay()

    assert Sale.objects.count() == 1
    assert Commission.objects.count() == 0
    assert balance() == {}


def test_plan_made_after_the_sale_earns_nothing_for_it(order, till, brand):
    till.pay()
    CommissionPlanFactory(brand=brand, is_default=True)

    till.refund("10.00")
    till.pay()

    assert Commission.objects.count() == 0


def test_affiliates_own_plan_goes_before_its_groups(brand, order, till, affiliate):
    groups_plan = CommissionPlanFactory(brand=brand, rules=[{"percent": 20}])
    affiliate.group = AffiliateGroupFactory(brand=brand, plan=groups_plan)
    affiliate.plan = CommissionPlanFactory(brand=brand, rules=[{"percent": 30}])
    affiliate.save()

    till.pay()

    assert Commission.objects.get().amount == 3000


def test_plan_edited_between_order_and_payment_changes_nothing(plan, order, till):
    plan.rules.update(percent=50)
    publish_plan(plan, now=NOW + timedelta(minutes=1))

    till.pay()

    assert Commission.objects.get().amount == 1000
    assert Commission.objects.get().plan_version.number == 1


def test_plan_edited_later_changes_no_commission(plan, order, till):
    till.pay()
    plan.rules.update(percent=50)
    publish_plan(plan, now=PAID_AT)

    till.pay()
    till.refund("50.00")

    commission = Commission.objects.get()
    assert (commission.amount, commission.reversals.get().amount) == (1000, -500)


def test_nothing_earned_is_kept_too_and_moves_no_money(brand, order, till, balance):
    CommissionPlanFactory(brand=brand, is_default=True, rules=[])

    till.pay()

    commission = Commission.objects.get()
    assert (commission.amount, commission.status) == (0, "approved")
    assert commission.reason_text == "Earns nothing by the plan."
    assert LedgerPosting.objects.count() == 0


def test_no_hold_approves_at_once(brand, order, till, balance):
    CommissionPlanFactory(brand=brand, is_default=True, hold_days=0)

    till.pay()

    commission = Commission.objects.get()
    assert (commission.status, commission.matures_at) == ("approved", PAID_AT)
    assert history(commission) == [("", "pending"), ("pending", "approved")]
    assert balance() == {Account.EXPENSE: -1000, Account.PAYABLE: 1000}


@pytest.mark.parametrize(
    ("hold_days", "reason"),
    [
        (0, "Approved immediately: this plan has no hold."),
        (30, "Approved at once: yearly billing has no hold."),
    ],
)
def test_reason_says_what_has_no_hold(brand, order, till, hold_days, reason):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        hold_days=hold_days,
        hold_days_by_cycle={"annually": 0},
    )

    till.pay()

    commission = Commission.objects.get()
    assert (commission.status, commission.reason_text) == ("approved", reason)


def test_no_hold_waits_for_staff_where_the_plan_wants_them(brand, order, till, balance):
    CommissionPlanFactory(
        brand=brand, is_default=True, hold_days=0, approves_itself=False
    )

    till.pay()

    assert Commission.objects.get().status == "matured"
    assert balance() == {Account.EXPENSE: -1000, Account.PENDING: 1000}


def test_affiliate_suspended_between_order_and_payment_has_its_commission_held(
    plan, order, till, balance
):
    Affiliate.objects.update(status=AffiliateStatus.SUSPENDED)

    till.pay()

    commission = Commission.objects.get()
    assert commission.status == "held"
    assert commission.reason_text == (
        "The affiliate was not active when the invoice was paid."
    )
    assert balance() == {Account.EXPENSE: -1000, Account.HELD: 1000}


def test_held_decision_holds_the_commission(plan, affiliate, till, balance):
    order_of(
        affiliate,
        affiliate.user,
        is_self=True,
        order_ref="order-1",
        invoice_ref="invoice-1",
    )

    till.pay()

    commission = Commission.objects.get()
    assert commission.status == "held"
    assert commission.reason_text == "The order's decision is held for review."
    assert balance() == {Account.EXPENSE: -1000, Account.HELD: 1000}


@pytest.mark.parametrize(
    ("action", "status", "accounts"),
    [
        (FraudAction.ALLOW, "pending", {Account.PENDING: 1000}),
        (FraudAction.FLAG, "pending", {Account.PENDING: 1000}),
        (FraudAction.HOLD, "held", {Account.HELD: 1000}),
        (FraudAction.DECLINE, "rejected", {}),
    ],
)
def test_fraud_signals_do_what_the_brand_wants(
    action, status, accounts, brand, plan, affiliate, host, till, balance
):
    brand.fraud_policies.create(signal=Signal.DISPOSABLE_EMAIL, action=action)
    order_of(
        affiliate,
        host.client(brand, email="buyer@mailinator.com"),
        order_ref="order-1",
        invoice_ref="invoice-1",
    )

    till.pay()

    commission = Commission.objects.get()
    assert commission.status == status
    expense = {Account.EXPENSE: -1000} if accounts else {}
    assert balance() == expense | accounts


def test_flagged_sale_is_held_for_three_days_though_its_plan_has_no_hold(
    brand, affiliate, host, till, balance
):
    CommissionPlanFactory(brand=brand, is_default=True, hold_days=0)
    brand.flagged_hold_days = Brand().flagged_hold_days
    brand.save()
    order_of(
        affiliate,
        host.client(brand, email="buyer@mailinator.com"),
        order_ref="order-1",
        invoice_ref="invoice-1",
    )

    till.pay()

    commission = Commission.objects.get()
    assert (commission.status, balance()) == (
        "pending",
        {Account.EXPENSE: -1000, Account.PENDING: 1000},
    )
    assert commission.matures_at == PAID_AT + timedelta(days=3)
    assert mature_due(now=commission.matures_at - timedelta(seconds=1)).total == 0
    assert mature_due(now=commission.matures_at).approved == 1


def test_coupon_of_the_affiliate_has_its_own_rate(plan, affiliate, buyer, till):
    CouponCodeFactory(affiliate=affiliate, code="BLOG", percent=25)
    order_of(
        affiliate,
        buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        coupon_code="BLOG",
    )

    till.pay()

    assert Commission.objects.get().amount == 2500


def test_coupon_changed_between_order_and_payment_changes_nothing(
    plan, affiliate, buyer, till
):
    coupon = CouponCodeFactory(affiliate=affiliate, code="BLOG", percent=25)
    order_of(
        affiliate,
        buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        coupon_code="BLOG",
    )
    coupon.percent = 50
    coupon.save()
    publish_coupon(coupon, now=NOW + timedelta(minutes=1))

    till.pay()

    assert Commission.objects.get().amount == 2500


def test_cap_leaves_what_is_left_of_the_period(brand, affiliate, buyer, till):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        cap_period="month",
        cap_amounts={"EUR": "15"},
    )
    for number in (1, 2, 3):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(order=f"o-{number}", invoice=f"i-{number}")
    order_of(affiliate, buyer, order_ref="o-4", invoice_ref="i-4")
    till.pay(order="o-4", invoice="i-4", at=PAID_AT + timedelta(days=31))

    amounts = Commission.objects.order_by("pk").values_list("amount", flat=True)
    assert list(amounts) == [1000, 500, 0, 1000]


def test_cap_is_of_own_live_earnings_in_its_currency_and_period(
    brand, affiliate, rival, buyer, till, admin_user
):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        cap_period="month",
        cap_amounts={"EUR": "15", "USD": "15"},
        recruiter_percent=50,
    )
    rival.recruiter = affiliate
    rival.save()

    def sell(number: int, *, of: Affiliate = affiliate, **fields) -> Commission:
        order_of(of, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(order=f"o-{number}", invoice=f"i-{number}", **fields)
        return Commission.objects.latest("pk")

    sell(1, currency="USD")
    sell(2, of=rival)
    sell(3, at=PAID_AT + timedelta(days=31))
    reject(
        commission_ids=[sell(4).pk],
        actor_id=admin_user.pk,
        reason="A fraud.",
        now=PAID_AT,
    )

    assert [sell(number).amount for number in (5, 6, 7)] == [1000, 500, 0]


def test_month_of_a_cap_begins_with_its_first_moment_and_ends_before_the_next(
    brand, affiliate, buyer, till
):
    CommissionPlanFactory(
        brand=brand, is_default=True, cap_period="month", cap_amounts={"EUR": "10"}
    )
    march, april = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4))
    times = [april, march, april - timedelta(microseconds=1), april]
    for number, at in enumerate(times):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(order=f"o-{number}", invoice=f"i-{number}", at=at)

    amounts = Commission.objects.order_by("pk").values_list("amount", flat=True)
    assert list(amounts) == [1000, 1000, 0, 0]


def test_what_refunds_took_back_leaves_room_below_the_cap(
    brand, affiliate, buyer, till
):
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        cap_period="lifetime",
        cap_amounts={"EUR": "10"},
    )
    for number in (1, 2):
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
    till.pay(order="o-1", invoice="i-1")
    till.refund("40.00", invoice="i-1")

    till.pay(order="o-2", invoice="i-2")

    amounts = Commission.objects.order_by("pk").values_list("amount", flat=True)
    assert list(amounts) == [1000, 400]


@pytest.mark.parametrize(
    ("currency", "net", "amount"),
    [("EUR", "33.33", 333), ("JPY", "333", 33), ("KWD", "33.333", 3333)],
)
def test_commission_is_in_the_minor_unit_of_the_sale(
    currency, net, amount, plan, order, till, balance
):
    till.pay(net, currency=currency)

    assert Commission.objects.get().amount == amount
    assert balance(currency) == {Account.EXPENSE: -amount, Account.PENDING: amount}


def test_net_finer_than_the_minor_unit_is_rounded(plan, order, till):
    till.pay("10.045")

    commission = Commission.objects.get()
    assert commission.lines.get().receipt["inputs"]["net"] == 1005
    assert commission.amount == 101


def test_lines_are_kept_as_sent_and_rounded_once(plan, order, till):
    net = Decimal("10.93") / Decimal("1.19")
    till.pay(str(net), str(net), gross="21.86")

    sale = Sale.objects.get()
    assert [line["net"] for line in sale.payment.lines] == [str(net), str(net)]
    assert [
        one.receipt["inputs"]["net"] for one in Commission.objects.get().lines.all()
    ] == [918, 918]
    assert sale.net.amount == Decimal("18.36")
    assert list(Verification().findings(on_row=lambda _: None)) == []


@pytest.mark.parametrize("nets", [("0.00",), ("50.00", "-50.00"), ("-10.00", "10.00")])
def test_nothing_paid_is_harmless(nets, plan, order, till):
    till.pay(*nets, gross="0.00")
    till.refund("10.00")

    commission = Commission.objects.get()
    assert CommissionStatus(commission.status).is_live
    assert sum(one.amount for one in commission.reversals.all()) == 0


@pytest.mark.parametrize("capped", [False, True])
def test_paid_invoice_of_20_lines_asks_few_questions(
    capped, brand, affiliate, buyer, till, settings
):
    fields = {"cap_period": "month", "cap_amounts": {"EUR": "5000"}} if capped else {}
    CommissionPlanFactory(brand=brand, is_default=True, hold_days=0, **fields)
    CouponCodeFactory(affiliate=affiliate, code="BLOG")
    order_of(
        affiliate,
        buyer,
        order_ref="order-1",
        invoice_ref="invoice-1",
        coupon_code="BLOG",
    )
    # As a running process, which looks at the configuration every few seconds.
    get_brand(brand.pk)
    active_webhooks(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    with CaptureQueriesContext(connection) as captured:
        till.pay(*["10.00"] * 20)

    asked = [
        query["sql"]
        for query in captured.captured_queries
        if not query["sql"].startswith(TRANSACTION_CONTROL)
    ]
    assert Commission.objects.get().lines.count() == 20
    assert len(asked) <= MOST_QUERIES, asked
