"""The facts a sale is judged by, read from the tables, and the review that is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.fraud import order_facts
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import (
    NOTHING_FOUND,
    FraudAction,
    FraudVerdict,
    ReviewOutcome,
    Signal,
)
from affiliates.fraud.rules.signals import NO_REVIEW
from affiliates.fraud.rules.signals import review as signals_of
from affiliates.fraud.selectors import fraud_terms, review_facts
from affiliates.fraud.services import write_review
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Reason
from affiliates.sales.models import Sale
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory
from tests.factories.fraud import FraudPolicyFactory, renewal_of, sale_of
from tests.factories.ledger import NOW

HOUR = timedelta(hours=1)
NETWORK = "203.0.113.0/24"
AD = "https://shop.example.com/?ref=partner&gclid=abc"


def review(sale: Sale, *, paid_ads_allowed: bool = True) -> Any:
    referral = OrderReferral.objects.select_related("affiliate__user", "client").get(
        pk=sale.order_referral_id
    )
    facts = review_facts(
        referral, is_first=sale.is_first, paid_ads_allowed=paid_ads_allowed
    )
    found = NO_REVIEW if facts is None else signals_of(facts)
    write_review(sale, found, now=NOW + timedelta(minutes=5))
    return found.verdict


def signals(sale):
    kept = FraudReview.objects.filter(sale=sale).first()
    return [] if kept is None else [one["signal"] for one in kept.findings]


def orders_before(affiliate, host, count, **fields):
    """So many orders of different clients, a minute apart, before NOW."""
    for number in range(count):
        client = host.client(affiliate.brand, email=f"{uuid4()}@example.com")
        at = NOW - timedelta(minutes=number + 1)
        sale_of(affiliate, client, **{"converted_at": at, **fields})


def test_an_ordinary_sale_is_let_pass(affiliate, buyer):
    sale = sale_of(affiliate, buyer, ip_prefix=NETWORK)

    assert review(sale, paid_ads_allowed=False) == NOTHING_FOUND
    assert not FraudReview.objects.exists()


def test_a_review_keeps_what_was_found(affiliate, host, brand):
    client = host.client(brand, email="partner@mailinator.com")
    sale = sale_of(affiliate, client, page=AD)

    verdict = review(sale, paid_ads_allowed=False)

    assert verdict == FraudVerdict(
        action=FraudAction.HOLD,
        signals=(Signal.PAID_ADS, Signal.DISPOSABLE_EMAIL),
    )
    kept = FraudReview.objects.get()
    assert (kept.sale, kept.brand, kept.action) == (sale, brand, "hold")
    assert (kept.outcome, kept.reviewed_by) == (ReviewOutcome.OPEN, None)
    assert kept.found_at == NOW + timedelta(minutes=5)
    assert kept.findings == [
        {
            "signal": "disposable_email",
            "action": "flag",
            "facts": {"domain": "mailinator.com"},
        },
        {
            "signal": "paid_ads",
            "action": "hold",
            "facts": {"parameter": "gclid", "written_by": "Google Ads"},
        },
    ]


def test_a_repeat_keeps_one_review(affiliate, host, brand):
    sale = sale_of(affiliate, host.client(brand, email="x@mailinator.com"))

    first, second = review(sale), review(sale)

    assert first == second
    assert FraudReview.objects.count() == 1


def test_the_affiliate_as_their_own_client_is_held(affiliate):
    sale = sale_of(affiliate, affiliate.user)

    assert review(sale).action is FraudAction.HOLD
    assert signals(sale) == ["self_referral"]


def test_the_brands_policy_replaces_the_default(affiliate, host, brand):
    FraudPolicyFactory(brand=brand, signal=Signal.DISPOSABLE_EMAIL, action="decline")
    sale = sale_of(affiliate, host.client(brand, email="x@mailinator.com"))

    assert review(sale).action is FraudAction.DECLINE


def test_another_brands_policy_does_not(affiliate, host, brand):
    other = BrandFactory(client_area="other.example.net")
    FraudPolicyFactory(brand=other, signal=Signal.DISPOSABLE_EMAIL, action="decline")
    sale = sale_of(affiliate, host.client(brand, email="x@mailinator.com"))

    assert review(sale).action is FraudAction.FLAG


def test_an_ignored_sign_is_not_kept(affiliate, host, brand):
    FraudPolicyFactory(brand=brand, signal=Signal.DISPOSABLE_EMAIL, action="allow")
    sale = sale_of(affiliate, host.client(brand, email="x@mailinator.com"))

    assert review(sale) == NOTHING_FOUND
    assert not FraudReview.objects.exists()


def test_a_policy_without_threshold_counts_to_the_default(
    affiliate, host, brand, buyer
):
    FraudPolicyFactory(brand=brand, signal=Signal.FAST_ORDER, action="hold")
    sale = sale_of(affiliate, buyer, click_age=timedelta(seconds=29))

    assert review(sale).action is FraudAction.HOLD


@pytest.mark.parametrize(
    ("_case", "at", "expected"),
    [
        ("an hour before", NOW - HOUR, ["same_network"]),
        ("an hour after", NOW + HOUR, ["same_network"]),
        ("a day before", NOW - 24 * HOUR, []),
        ("just within a day", NOW - 24 * HOUR + timedelta(seconds=1), ["same_network"]),
    ],
)
def test_the_affiliates_own_order_from_the_clients_network(
    _case, at, expected, affiliate, buyer, brand, host
):
    user = host.client(brand, email="rival@example.com")
    rival = AffiliateFactory(brand=brand, user=user)
    sale_of(rival, affiliate.user, ip_prefix=NETWORK, converted_at=at)
    sale = sale_of(affiliate, buyer, ip_prefix=NETWORK)

    review(sale)

    assert signals(sale) == expected


def test_the_affiliates_own_order_from_elsewhere_is_no_sign(
    affiliate, buyer, brand, host
):
    user = host.client(brand, email="rival@example.com")
    rival = AffiliateFactory(brand=brand, user=user)
    sale_of(rival, affiliate.user, ip_prefix="198.51.100.0/24")
    sale_of(rival, affiliate.user, ip_prefix="")
    sale = sale_of(affiliate, buyer, ip_prefix=NETWORK)
    unknown = sale_of(affiliate, buyer, ip_prefix="")

    review(sale)
    review(unknown)

    assert signals(sale) == signals(unknown) == []


def test_clients_of_one_network_count_once_each(affiliate, buyer, host, brand):
    other = host.client(brand, email="other@example.com")
    for client in (buyer, buyer, other, other):
        sale_of(affiliate, client, ip_prefix=NETWORK, converted_at=NOW - HOUR)
    second = sale_of(affiliate, buyer, ip_prefix=NETWORK)
    third = sale_of(
        affiliate, host.client(brand, email="3@example.com"), ip_prefix=NETWORK
    )

    review(second)
    review(third)

    assert signals(third) == ["same_network"]
    (finding,) = FraudReview.objects.get(sale=third).findings
    assert finding["facts"]["clients"] == 3


def test_neighbours_of_another_affiliate_are_no_sign(affiliate, buyer, host, brand):
    user = host.client(brand, email="rival@example.com")
    rival = AffiliateFactory(brand=brand, user=user)
    orders_before(rival, host, 5, ip_prefix=NETWORK)
    sale = sale_of(affiliate, buyer, ip_prefix=NETWORK)

    assert review(sale) == NOTHING_FOUND


def test_orders_of_a_day_are_counted_to_the_threshold(affiliate, buyer, host, brand):
    FraudPolicyFactory(brand=brand, signal=Signal.VELOCITY, action="hold", threshold=3)
    orders_before(affiliate, host, 1, converted_at=NOW - 25 * HOUR)
    orders_before(affiliate, host, 2)
    usual = sale_of(affiliate, buyer)
    orders_before(affiliate, host, 1, converted_at=NOW + HOUR)

    assert review(usual) == NOTHING_FOUND

    one_more = sale_of(affiliate, buyer, converted_at=NOW + timedelta(minutes=1))

    assert review(one_more).action is FraudAction.HOLD


def test_only_the_latest_thirty_days_of_clicks_count(affiliate, buyer):
    def clicks(count, ago, bot_signs=""):
        for _ in range(count):
            ClickFactory(
                affiliate=affiliate,
                visitor_id=uuid4(),
                created_at=NOW - ago,
                bot_signs=bot_signs,
            )

    clicks(30, timedelta(days=31), "agent")
    clicks(3, timedelta(days=2))
    clicks(15, timedelta(days=2), "agent")
    sale = sale_of(affiliate, buyer)

    assert review(sale) == NOTHING_FOUND  # 15 of 19 are too few to tell

    clicks(1, timedelta(days=2), "agent")

    assert review(sale).action is FraudAction.FLAG
    (finding,) = FraudReview.objects.get(sale=sale).findings
    assert finding["facts"] == {"clicks": 20, "by_bots": 16, "threshold": 80}


def test_a_click_that_was_purged_is_no_sign(affiliate, buyer):
    sale = sale_of(affiliate, buyer, page=AD)
    type(sale.order_referral).objects.update(click_id=uuid4())

    assert review(sale, paid_ads_allowed=False) == NOTHING_FOUND


def test_a_renewal_is_not_judged_by_the_click(affiliate, buyer):
    sale = sale_of(affiliate, buyer, page=AD, click_age=timedelta(seconds=1))

    assert review(renewal_of(sale), paid_ads_allowed=False) == NOTHING_FOUND


def test_a_renewal_is_judged_by_its_people(affiliate):
    renewal = renewal_of(sale_of(affiliate, affiliate.user))

    assert review(renewal).action is FraudAction.HOLD


def test_what_staff_released_is_not_asked_again_at_the_renewal(affiliate, staff):
    sale = sale_of(affiliate, affiliate.user)
    review(sale)
    FraudReview.objects.update(
        outcome=ReviewOutcome.RELEASED, reviewed_by=staff, reviewed_at=NOW
    )

    assert review(renewal_of(sale)) == NOTHING_FOUND
    assert FraudReview.objects.count() == 1


def test_what_staff_rejected_is_asked_again_at_the_renewal(affiliate, staff):
    sale = sale_of(affiliate, affiliate.user)
    review(sale)
    FraudReview.objects.update(
        outcome=ReviewOutcome.REJECTED, reviewed_by=staff, reviewed_at=NOW
    )

    assert review(renewal_of(sale)).action is FraudAction.HOLD


def test_an_order_that_staff_assigned_is_not_reviewed(affiliate):
    sale = sale_of(affiliate, affiliate.user, reason=Reason.STAFF)

    assert review(sale) == NOTHING_FOUND
    assert not FraudReview.objects.exists()


def test_takes_two_queries(affiliate, host, brand, settings):
    sale = sale_of(affiliate, host.client(brand, email="x@mailinator.com"), page=AD)
    renewal = renewal_of(sale)
    fraud_terms(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    with CaptureQueriesContext(connection) as first:
        review(sale, paid_ads_allowed=False)
    with CaptureQueriesContext(connection) as second:
        review(renewal, paid_ads_allowed=False)

    # Each reads its order; a renewal looks at released signals, not at other orders.
    assert (len(first), len(second)) == (1 + 2, 1 + 2)


def test_of_very_many_orders_only_the_latest_count(
    affiliate, host, brand, buyer, monkeypatch
):
    monkeypatch.setattr(order_facts, "LATEST_ORDERS", 5)
    for signal in (Signal.VELOCITY, Signal.SAME_NETWORK):
        FraudPolicyFactory(brand=brand, signal=signal, action="flag", threshold=3)
    orders_before(affiliate, host, 9, ip_prefix=NETWORK)

    review(sale_of(affiliate, buyer, ip_prefix=NETWORK))

    found = {one["signal"]: one["facts"] for one in FraudReview.objects.get().findings}
    # Twice the threshold, if that is more than the limit.
    assert found["velocity"] == {"orders": 6, "threshold": 3}
    assert found["same_network"]["clients"] == 6


def test_of_very_many_clicks_only_the_latest_count(affiliate, buyer, monkeypatch):
    monkeypatch.setattr(order_facts, "LATEST_CLICKS", 25)
    for number in range(50):
        ClickFactory(
            affiliate=affiliate,
            visitor_id=uuid4(),
            created_at=NOW - timedelta(minutes=number + 1),
            bot_signs="webdriver" if number < 25 else "",
        )

    review(sale_of(affiliate, buyer))

    [found] = FraudReview.objects.get().findings
    assert found["facts"] == {"clicks": 25, "by_bots": 25, "threshold": 80}
