"""Fraud with 100 euros: a yearly product bought for its commission, on a plan without a
hold. What of it is payable before anybody of staff can have looked.

Two tricks bring no commission at all: a robot, whose visit is no touch
(visits/test_recognition.py), and claims for others' orders (contrib/claims).
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_due
from affiliates.fraud.models import FraudReview
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balance
from affiliates.referrals.rules.decision import decide
from tests.affiliates.till import PAID_AT
from tests.factories.affiliates import ClickFactory
from tests.factories.decisions import make_coupon, make_inputs
from tests.factories.ledger import (
    NOW,
    ClientReferralFactory,
    OrderReferralFactory,
    decision_of,
    touch_of,
)
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.django_db

HOME, BROWSER = "203.0.113.0/24", UUID(int=7)
SHOP = "https://shop.example.com/plans"
MINUTE = timedelta(minutes=1)


class Fraudster:
    """An affiliate with the addresses, browsers and networks of one person."""

    def __init__(self, affiliate, host):
        self.affiliate, self.host = affiliate, host

    def client(self, email=None):
        email = email or f"{uuid4().hex}@example.net"
        return self.host.client(self.affiliate.brand, email=email)

    def click(self, at=NOW - timedelta(hours=1), **fields):
        fields = {"visitor_id": uuid4(), "visit_url": SHOP, **fields}
        return ClickFactory(affiliate=self.affiliate, created_at=at, **fields)

    def order(self, number=1, *, email=None, client=None, click=None, **fields):
        """The order ``number`` by a click, by default of somebody from anywhere."""
        made = decision_of(touch_of(click or self.click()), now=NOW)
        fields = {"made": made, "converted_at": NOW, **fields}
        return OrderReferralFactory(
            brand=self.affiliate.brand,
            client=client or self.client(email),
            order_ref=f"order-{number}",
            invoice_ref=f"invoice-{number}",
            **fields,
        )

    def coupon(self, number=1, **fields):
        inputs = make_inputs(coupon=make_coupon(self.affiliate.pk), now=NOW)
        made = decide(inputs)
        fields = {"made": made, "coupon_code": "SUMMER", "touched_at": None, **fields}
        return self.order(number, **fields)


def own_browser(one):
    ClientReferralFactory(
        affiliate=one.affiliate,
        client=one.affiliate.user,
        click_id=one.click(visitor_id=BROWSER).pk,
        visitor_id=BROWSER,
    )
    one.order(click=one.click(visitor_id=BROWSER))


def own_network(one):
    one.order(2, client=one.affiliate.user, ip_prefix=HOME, converted_at=NOW - MINUTE)
    one.order(ip_prefix=HOME)


def four_clients(one):
    for number in (2, 3, 4):
        one.order(number, ip_prefix=HOME, converted_at=NOW - MINUTE)
    one.order(ip_prefix=HOME)


def flood(one, networks):
    at = NOW - timedelta(hours=1)
    for number in range(40):
        network = f"203.0.{number % networks}.0/24"
        one.click(at + timedelta(seconds=number), ip_prefix=network)
    one.order(click=one.click(at, ip_prefix="203.0.0.0/24"))


def many_orders(one):
    for number in range(2, 28):
        one.order(number, converted_at=NOW - MINUTE)
    one.order()


def leak(one, clients):
    for number in range(2, clients + 1):
        one.coupon(number, converted_at=NOW - MINUTE)
    one.coupon()


HELD, WAITS, PAID = "held", "pending", "approved"
# By trick: its variants, each with what it does and the commission's first status.
TRICKS = {
    "own mailbox": [
        (lambda one: one.order(email="affiliate+x@example.com"), HELD),
    ],
    "another spelling": [
        (lambda one: one.order(email='"affiliate"@example.com'), HELD),
        (lambda one: one.order(email="somebody@example.net"), PAID),
    ],
    "own browser": [(own_browser, HELD)],
    "own network": [(own_network, WAITS)],
    "one network": [(four_clients, WAITS)],
    "throw-away address": [
        (lambda one: one.order(email="a@mailinator.com"), WAITS),
    ],
    "click in a frame": [
        (lambda one: one.order(click=one.click(embedding="frame")), WAITS),
    ],
    "paid advertising": [
        (lambda one: one.order(click=one.click(visit_url=f"{SHOP}?gclid=x")), PAID),
    ],
    "forged referrer": [
        (
            lambda one: one.order(click=one.click(referrer_url="https://a.example/#x")),
            WAITS,
        ),
        (
            lambda one: one.order(click=one.click(referrer_url="https://a.example/")),
            PAID,
        ),
    ],
    "flood": [(lambda one: flood(one, 1), WAITS), (lambda one: flood(one, 40), PAID)],
    "many orders": [(many_orders, WAITS)],
    "leaked code": [
        (lambda one: leak(one, 1), PAID),
        (lambda one: leak(one, 5), WAITS),
    ],
}
VARIANTS = [
    (f"{trick} {number}", commit, status)
    for trick, variants in TRICKS.items()
    for number, (commit, status) in enumerate(variants, start=1)
]


@pytest.mark.parametrize(
    ("commit", "status"),
    [variant[1:] for variant in VARIANTS],
    ids=[variant[0] for variant in VARIANTS],
)
def test_what_is_payable_before_anybody_can_have_looked(
    commit, status, brand, affiliate, host, till
):
    brand.change(flagged_hold_days=Brand().flagged_hold_days)
    CommissionPlanFactory(brand=brand, is_default=True, hold_days=0)
    commit(Fraudster(affiliate, host))

    till.pay("90.00")
    mature_due(now=PAID_AT + timedelta(days=3) - timedelta(seconds=1))

    assert Commission.objects.get().status == status
    payable = balance(affiliate.pk, "EUR", Account.PAYABLE)
    assert payable == (900 if status == PAID else 0)
    assert FraudReview.objects.exists() == (status != PAID)


def test_at_most_five_of_fourteen_tricks_are_payable_at_once():
    paid = [
        trick
        for trick, variants in TRICKS.items()
        if PAID in {status for _, status in variants}
    ]

    assert paid == [
        "another spelling",
        "paid advertising",
        "forged referrer",
        "flood",
        "leaked code",
    ]
