"""Every mixture of a link, a coupon and a typed code of two affiliates, in any order."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.host_events import invoice_paid, order_placed
from affiliates.order_story.selectors import order_story
from affiliates.order_story.types import EventKind
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.affiliates.till import line
from tests.affiliates.verification.finding import findings
from tests.factories.plans import CommissionPlanFactory, CouponCodeFactory

SENDERS = (None, "partner", "rival")
REASONS = {"coupon": "coupon code.", "typed": "typed by hand.", "link": "window wins."}
DAY = timedelta(days=1)


def expected(link, coupon, typed, *, codes_win):
    """The winner and how it won, in the words of the brand's switch."""
    codes = [("coupon", coupon), ("typed", typed)]
    order = [*codes, ("link", link)] if codes_win else [("link", link), *codes]
    return next(((way, name) for way, name in order if name), ("", None))


@pytest.fixture
def sell(placed, paid, affiliate, rival, now):
    """Places and pays an order in one of both orders; returns its referral."""
    whose = {"partner": affiliate, "rival": rival}
    CommissionPlanFactory(brand=affiliate.brand, is_default=True)
    for name, owner in whose.items():
        CouponCodeFactory(
            affiliate=owner, code=f"{name.upper()}10", affiliate_funds_percent=50
        )

    def sell(link, coupon, typed, *, paid_first):
        refs = {"order_ref": uuid4().hex, "invoice_ref": uuid4().hex}
        order = replace(
            placed,
            **refs,
            coupon_codes=(f"{coupon}10",) if coupon else (),
            affiliate_code=typed or "",
        )
        bill = replace(
            paid,
            **refs,
            payment_ref=uuid4().hex,
            lines=(
                line(
                    Money("100.00", "EUR"),
                    quantity=1,
                    discount=Money("10.00", "EUR") if coupon else None,
                ),
            ),
        )
        cookie = cookie_of(click_of(whose[link], now - DAY)) if link else None
        steps = [
            lambda: order_placed(order, referral_cookie=cookie, now=now),
            lambda: invoice_paid(bill, now=now),
        ]
        for step in reversed(steps) if paid_first else steps:
            step()
        return OrderReferral.objects.get(order_ref=order.order_ref)

    return sell


@pytest.mark.parametrize("codes_win", [True, False])
def test_one_affiliate_wins_and_the_story_names_the_rule(codes_win, sell, brand):
    brand.change(coupon_over_link=codes_win)
    mixtures = list(product(SENDERS, SENDERS, SENDERS, (False, True)))

    for link, coupon, typed, paid_first in mixtures:
        referral = sell(link, coupon, typed, paid_first=paid_first)

        way, winner = expected(link, coupon, typed, codes_win=codes_win)
        named = {name for name in (link, coupon, typed) if name}
        commissions = Commission.objects.filter(sale__order_referral=referral)
        owners = [commission.affiliate.code for commission in commissions]
        assert owners == ([winner] if winner else [])
        assert Sale.objects.filter(order_referral=referral).count() == bool(winner)
        story = order_story(referral)
        winners = [
            one.affiliate_code for one in story.decision.candidates if one.is_winner
        ]
        losers = {one.rule for one in story.decision.candidates if not one.is_winner}
        assert winners == ([winner] if winner else [])
        assert losers <= {"Code or link"}
        assert {one.affiliate_code for one in story.decision.candidates} == named
        told = [
            event.text for event in story.events if event.kind is EventKind.CONVERSION
        ]
        assert f"{winner or 'Nobody credited'}. " in told[0]
        assert REASONS.get(way, "sent this client.") in told[0]

    assert findings("--deep") == []
    assert len(mixtures) == OrderReferral.objects.count() == 54
