"""What a tier counts before a sale: in which order, since when, and after refunds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.commissions import selectors
from affiliates.commissions.models import Commission, CommissionLine
from affiliates.commissions.services.staff import reject
from affiliates.settlement.services import override_attribution
from affiliates.verification import receipts
from tests.affiliates.till import PAID_AT, order_of
from tests.affiliates.verification.finding import everything_found, found_after
from tests.append_only import unguarded
from tests.factories.affiliates import AffiliateFactory
from tests.factories.plans import CommissionPlanFactory

SECOND = timedelta(seconds=1)


@pytest.fixture
def tiered(brand):
    """10 %, and from the second sale on, or so much revenue, 20 %."""

    def tiered(tier: dict[str, str], period: str = "month", **fields):
        return CommissionPlanFactory(
            brand=brand,
            is_default=True,
            rules=[{"percent": 10, "tiers": [tier], "tier_period": period}],
            **fields,
        )

    return tiered


@pytest.fixture
def pay(affiliate, buyer, till):
    numbers = iter(range(100))

    def pay(at: datetime = PAID_AT, *, of=affiliate, **fields) -> int:
        """The amount that the sale earns."""
        number = next(numbers)
        order_of(of, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        nets = [fields.pop("net")] if "net" in fields else []
        till.pay(*nets, order=f"o-{number}", invoice=f"i-{number}", at=at, **fields)
        return Commission.objects.latest("pk").amount

    return pay


SECOND_SALE = {"unit": "sales", "from": "1", "percent": "20"}


def seen() -> list[int]:
    receipts = CommissionLine.objects.order_by("pk").values_list("receipt", flat=True)
    return [receipt["inputs"]["tier"]["seen"] for receipt in receipts]


def test_sales_before_this_one_count(tiered, pay):
    tiered(SECOND_SALE)

    assert [pay(PAID_AT + SECOND * number) for number in range(3)] == [1000, 2000, 2000]

    assert seen() == [0, 1, 2]
    assert everything_found() == []


def test_sales_of_one_instant_count_in_the_order_of_their_recording(tiered, pay):
    tiered(SECOND_SALE)

    assert [pay(), pay(), pay()] == [1000, 2000, 2000]

    assert seen() == [0, 1, 2]


def test_sale_that_is_told_late_sees_what_was_paid_before_it(tiered, pay):
    tiered(SECOND_SALE)
    pay(PAID_AT + SECOND)

    assert pay(PAID_AT) == 1000
    assert pay(PAID_AT + 2 * SECOND) == 2000

    assert seen() == [0, 0, 2]
    assert everything_found() == []


def test_all_lines_of_an_invoice_see_the_same(tiered, affiliate, buyer, till, pay):
    tiered(SECOND_SALE)
    pay()
    order_of(affiliate, buyer, order_ref="two", invoice_ref="two")

    till.pay("10.00", "20.00", order="two", invoice="two", at=PAID_AT + SECOND)

    assert seen() == [0, 1, 1]
    assert Commission.objects.latest("pk").amount == 600


@pytest.mark.parametrize(
    ("period", "amounts"), [("month", [1000, 1000]), ("always", [1000, 2000])]
)
def test_month_is_of_the_brands_time_zone(tiered, pay, brand, period, amounts):
    brand.time_zone = "Europe/Berlin"
    brand.save()
    tiered(SECOND_SALE, period)
    end_of_march = datetime(2026, 3, 31, 21, 59, 59, tzinfo=UTC)

    assert [pay(end_of_march), pay(end_of_march + SECOND)] == amounts


def test_revenue_is_that_of_the_sales_currency(tiered, pay):
    tiered({"unit": "EUR", "from": "100.00", "percent": "20"}, "always")

    pay(currency="USD")
    assert pay(PAID_AT + SECOND) == 1000
    assert pay(PAID_AT + 2 * SECOND) == 2000
    assert pay(PAID_AT + 3 * SECOND, currency="USD") == 1000

    assert seen() == [0, 0, 10000, 10000]
    assert everything_found() == []


def test_sale_below_zero_lowers_no_revenue(tiered, pay):
    tiered({"unit": "EUR", "from": "100.00", "percent": "20"})
    pay()
    pay(PAID_AT + SECOND, net="-50.00", gross="0.00")

    assert pay(PAID_AT + 2 * SECOND) == 2000
    assert everything_found() == []


def test_dispute_that_is_won_later_was_right_not_to_count(tiered, pay, till):
    tiered(SECOND_SALE)
    pay()
    till.refund("100.00", invoice="i-0")
    later = PAID_AT + timedelta(hours=2)
    assert pay(later) == 1000

    till.cancel()

    assert seen() == [0, 0]
    assert everything_found() == []


def test_refund_leaves_earlier_receipts_and_counts_no_more(tiered, pay, till):
    tiered(SECOND_SALE)
    pay()
    pay(PAID_AT + SECOND)

    till.refund("100.00", invoice="i-0")
    till.refund("50.00", invoice="i-1", ref="refund-2")

    assert [one.amount for one in Commission.objects.order_by("pk")] == [1000, 2000]
    assert pay(PAID_AT + 2 * SECOND) == 2000
    assert seen() == [0, 1, 1]
    assert everything_found() == []


def test_rejected_sale_does_not_count(tiered, pay, admin_user):
    tiered(SECOND_SALE)
    pay()
    reject(
        commission_ids=[Commission.objects.get().pk],
        actor_id=admin_user.pk,
        reason="A fraud.",
        now=PAID_AT,
    )

    assert pay(PAID_AT + SECOND) == 1000


def test_others_sales_do_not_count(tiered, pay, brand, host):
    tiered(SECOND_SALE)
    user = host.client(brand, email="other@example.com")
    pay(of=AffiliateFactory(brand=brand, user=user, code="other"))

    assert pay(PAID_AT + SECOND) == 1000


def test_shares_do_not_count(tiered, pay, affiliate, rival):
    tiered(SECOND_SALE, recruiter_percent=50)
    rival.recruiter = affiliate
    rival.save()
    pay(of=rival)

    assert Commission.objects.get(affiliate=affiliate).share_of is not None
    assert pay(PAID_AT + SECOND) == 1000


def test_order_given_away_is_counted_for_who_earns_by_it(
    tiered, pay, brand, host, admin_user
):
    tiered(SECOND_SALE)
    user = host.client(brand, email="other@example.com")
    other = AffiliateFactory(brand=brand, user=user, code="other")
    pay()
    first = Commission.objects.get().sale.order_referral_id
    pay(PAID_AT + SECOND, of=other)

    override_attribution(
        referral_id=first,
        affiliate_id=other.pk,
        reason="Theirs.",
        actor_id=admin_user.pk,
        now=PAID_AT + 2 * SECOND,
    )

    assert Commission.objects.latest("pk").amount == 1000
    assert pay(PAID_AT + 3 * SECOND, of=other) == 2000
    assert seen() == [0, 0, 0, 2]
    assert everything_found() == []


def test_assigned_sale_counts_none_that_was_recorded_after_it_in_its_instant(
    tiered, pay, rival, admin_user
):
    tiered(SECOND_SALE)
    pay()
    pay(of=rival)

    override_attribution(
        referral_id=Commission.objects.earliest("pk").sale.order_referral_id,
        affiliate_id=rival.pk,
        reason="Theirs.",
        actor_id=admin_user.pk,
        now=PAID_AT,
    )

    assert (seen(), Commission.objects.latest("pk").amount) == ([0, 0, 0], 1000)


def test_of_very_many_sales_the_latest_count(tiered, pay, monkeypatch):
    monkeypatch.setattr(selectors, "MAX_SALES", 2)
    tiered({"unit": "EUR", "from": "1.00", "percent": "20"})
    for hours, net in enumerate(["50.00", "30.00", "20.00", "10.00"]):
        pay(PAID_AT + timedelta(hours=2 * hours), net=net)

    assert seen() == [0, 5000, 8000, 5000]
    monkeypatch.setattr(receipts, "MAX_SALES", 2)
    assert everything_found() == []


def test_counting_is_one_query_and_no_lock(tiered, pay):
    tiered(SECOND_SALE)
    pay()

    with CaptureQueriesContext(connection) as captured:
        pay(PAID_AT + SECOND)

    counting = [one["sql"] for one in captured if "LIMIT 10000" in one["sql"]]
    assert len(counting) == 1


@pytest.mark.parametrize(("net", "amount"), [("0.00", 1000), ("0.01", 2000)])
def test_invoice_of_nothing_is_counted_by_no_tier(tiered, pay, net, amount):
    tiered(SECOND_SALE)

    pay(net=net)

    assert pay(PAID_AT + SECOND) == amount
    assert everything_found() == []


def test_verification_finds_a_count_that_cannot_have_been(tiered, pay):
    tiered({"unit": "EUR", "from": "100.00", "percent": "20"})
    pay()
    pay(PAID_AT + timedelta(hours=2))
    line = CommissionLine.objects.latest("pk")

    def counted(seen: int):
        @unguarded()
        def corrupt() -> None:
            line.receipt["inputs"]["tier"]["seen"] = seen
            line.save()

        return [one for one in found_after(corrupt) if "counted" in one]

    said = f"Commission {line.commission_id} has a receipt of line 1 that counted"
    assert counted(9999) == [
        f"{said} 9999 before it, but 10000 to 10000 are on record."
    ]
    assert counted(10001) == [
        f"{said} 10001 before it, but 10000 to 10000 are on record."
    ]
    assert counted(10000) == []
