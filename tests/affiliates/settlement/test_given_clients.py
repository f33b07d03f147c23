"""Whom the orders of a client are credited to who was given to another affiliate."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.management import call_command

from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.models import Click
from tests.factories.world import Visitor, World

LINES = [("hosting", "monthly", 10_000)]


@pytest.fixture
def world(affiliate, rival, plan, host):
    return World(host=host, brand=affiliate.brand, affiliates=[affiliate, rival])


@pytest.fixture
def visitor(world, affiliate, rival) -> Visitor:
    """Came by the affiliate and registered; the day after staff gave them to the rival."""
    visitor = world.arrive()
    world.visit(visitor, affiliate)
    world.register(visitor)
    world.pass_by(days=1)
    transfer(
        Transfer(
            source_id=affiliate.pk,
            target_id=rival.pk,
            parts=[TransferPart.CLIENTS],
            merges=False,
            reason="Sold the site",
            key=uuid4(),
        ),
        actor_id=None,
        now=world.now,
    )
    world.pass_by(days=1)
    return visitor


def ordered(world, visitor) -> OrderReferral:
    order = world.convert(visitor, currency="EUR", lines=LINES)
    call_command("replay_decisions", verbosity=0)
    call_command("verify_ledger", "--deep", verbosity=0)
    return OrderReferral.objects.get(order_ref=order.ref)


def judged(referral) -> list[tuple[str, str, str]]:
    return [
        (one["affiliate_code"], one["carrier"], one["verdict"])
        for one in referral.decision["candidates"]
    ]


@pytest.mark.parametrize("_case", ["with the cookie", "without"])
@pytest.mark.parametrize("policy", ["last_click", "first_click"])
def test_future_order_is_the_others(world, visitor, rival, policy, _case):
    world.brand.attribution_policy = policy
    world.brand.save()
    if _case == "without":
        visitor.cookie = None

    referral = ordered(world, visitor)

    assert (referral.affiliate, referral.outcome) == (rival, "credited")
    assert referral.reason == policy
    assert referral.click_id == Click.objects.get().pk
    assert judged(referral) == [("rival", "binding", "won")]


def test_first_one_may_be_suspended_since(world, visitor, affiliate, rival):
    world.set_status(affiliate, AffiliateStatus.SUSPENDED)

    referral = ordered(world, visitor)

    assert (referral.affiliate, referral.outcome) == (rival, "credited")


def test_first_ones_clicks_since_count_for_nothing(world, visitor, affiliate, rival):
    world.visit(visitor, affiliate)
    world.pass_by(days=1)

    referral = ordered(world, visitor)

    assert referral.affiliate == rival
    assert judged(referral) == [
        ("rival", "binding", "won"),
        ("partner", "cookie", "bound_client"),
    ]


def test_first_ones_later_click_wins_where_the_brand_lets_it(
    world, visitor, affiliate, rival
):
    world.brand.bound_clients = "latest"
    world.brand.save()
    world.visit(visitor, affiliate)
    world.pass_by(days=1)

    referral = ordered(world, visitor)

    assert referral.affiliate == affiliate
    assert judged(referral) == [
        ("rival", "binding", "later_click_won"),
        ("partner", "cookie", "won"),
    ]


def test_nobody_is_credited_while_the_other_is_suspended(world, visitor, rival):
    world.set_status(rival, AffiliateStatus.SUSPENDED)

    referral = ordered(world, visitor)

    assert (referral.affiliate, referral.outcome) == (None, "nobody")
    assert judged(referral) == [("rival", "binding", "not_active_at_order")]


def test_another_client_of_the_same_browser_is_still_the_first_ones(
    world, visitor, affiliate
):
    assert ClientReferral.objects.count() == 1
    other = world.arrive()
    other.cookie = visitor.cookie
    world.register(other)

    referral = ordered(world, other)

    assert referral.affiliate == affiliate
    assert judged(referral) == [("partner", "cookie", "won")]
