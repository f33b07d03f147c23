"""What led to an affiliate who was merged leads to whom it was merged into."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_all
from affiliates.ledger.rules import Account
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import find_link
from affiliates.referrals.models import ClientReferral, OrderCandidate, OrderReferral
from affiliates.referrals.rules.redaction import redact
from affiliates.sales.models import Sale
from affiliates.visits.models import Click
from tests.factories.affiliates import AffiliateFactory, AffiliateLinkFactory
from tests.factories.world import World

LINES = [("hosting", "monthly", 10_000)]


@pytest.fixture
def world(affiliate, rival, plan, host):
    return World(host=host, brand=affiliate.brand, affiliates=[affiliate, rival])


def merge(world, source, target, *, parts=()):
    return transfer(
        Transfer(
            source_id=source.pk,
            target_id=target.pk,
            parts=parts,
            merges=True,
            reason="One person",
            key=uuid4(),
        ),
        actor_id=None,
        now=world.now,
    )


def came_by(world, affiliate):
    visitor = world.arrive()
    world.visit(visitor, affiliate)
    return visitor


def referral_of(order):
    return OrderReferral.objects.get(order_ref=order.ref)


@pytest.mark.parametrize("by", ["code", "link"])
def test_visit_by_what_was_the_merged_ones_is_the_others(by, world, affiliate, rival):
    link = AffiliateLinkFactory(affiliate=affiliate)
    token = affiliate.code if by == "code" else link.hash
    assert find_link(brand_id=world.brand.pk, token=token).affiliate_id == affiliate.pk
    merge(world, affiliate, rival)

    affiliate.code = token
    visitor = came_by(world, affiliate)
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)

    click = Click.objects.get()
    assert (click.affiliate, click.affiliate_status) == (rival, "active")
    assert click.link == (link if by == "link" else None)
    assert referral_of(order).affiliate == rival


def test_cookie_of_before_credits_the_other_after_it(world, affiliate, rival):
    visitor = came_by(world, affiliate)
    world.pass_by(days=1)
    merge(world, affiliate, rival)
    world.pass_by(days=1)

    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)
    world.pay(order.invoices[0])

    referral = referral_of(order)
    assert (referral.affiliate, referral.outcome) == (rival, "credited")
    assert Click.objects.get().affiliate == affiliate
    assert ClientReferral.objects.get().affiliate == rival
    assert Commission.objects.get().affiliate == rival
    call_command("replay_decisions", verbosity=0)
    call_command("verify_ledger", "--deep", verbosity=0)


def test_lost_order_is_read_by_whom_it_would_have_gone_to(
    world, affiliate, rival, host
):
    third = AffiliateFactory(
        brand=world.brand, user=host.client(world.brand, email="third@example.com")
    )
    world.affiliates.append(third)

    def lost():
        visitor = came_by(world, affiliate)
        world.pass_by(days=1)
        world.visit(visitor, third)
        world.pass_by(days=1)
        world.register(visitor)
        order = world.convert(visitor, currency="EUR", lines=LINES)
        return order.ref

    before = lost()
    merge(world, affiliate, rival)
    after = lost()

    found = OrderCandidate.objects.order_by("pk")
    assert list(found.values_list("affiliate__code", "referral__order_ref")) == [
        ("partner", before),
        ("rival", after),
    ]
    decision = OrderReferral.objects.get(order_ref=after).decision
    assert redact(decision, affiliate_id=rival.pk).reason == "later_click_won"
    call_command("verify_ledger", "--deep", verbosity=0)


def test_client_of_before_is_the_others_in_a_further_order(world, affiliate, rival):
    visitor = came_by(world, affiliate)
    world.register(visitor)
    merge(world, affiliate, rival)
    visitor.cookie = None

    order = world.convert(visitor, currency="EUR", lines=LINES)

    assert ClientReferral.objects.get().affiliate == affiliate
    assert referral_of(order).affiliate == rival
    call_command("replay_decisions", verbosity=0)


def test_renewal_of_before_earns_as_decided_and_moves_by_postings(
    world, affiliate, rival, balance
):
    visitor = came_by(world, affiliate)
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)
    world.pay(order.invoices[0])
    merge(world, affiliate, rival)
    world.pass_by(days=20)

    world.pay(world.renew(order))

    assert referral_of(order).affiliate == affiliate
    assert set(Sale.objects.values_list("affiliate__code", "status")) == {
        (affiliate.code, "recorded")
    }
    assert balance()[Account.PENDING] == 20_00
    world.pass_by(days=40)
    mature_all(now=lambda: world.now)
    merge(world, affiliate, rival, parts=[TransferPart.BALANCE])
    assert balance().get(Account.PAYABLE, 0) == 0
    assert balance(of=rival)[Account.PAYABLE] == 20_00
    call_command("verify_ledger", "--deep", verbosity=0)


def test_who_was_merged_before_follows(world, affiliate, rival):
    user = world.host.client(world.brand, email="third@example.com")
    third = AffiliateFactory(brand=world.brand, user=user, code="third")
    merge(world, affiliate, rival)
    found = find_link(brand_id=world.brand.pk, token=affiliate.code)
    assert found.affiliate_id == rival.pk

    merge(world, rival, third)

    for one in (affiliate, rival):
        found = find_link(brand_id=world.brand.pk, token=one.code)
        assert (found.affiliate_id, found.status) == (third.pk, "active")


def test_approved_again_it_is_one_of_its_own(world, affiliate, rival):
    link = AffiliateLinkFactory(affiliate=affiliate)
    merge(world, affiliate, rival)
    tokens = (affiliate.code, link.hash)
    found = [find_link(brand_id=world.brand.pk, token=token) for token in tokens]
    assert {one.affiliate_id for one in found} == {rival.pk}

    world.set_status(affiliate, AffiliateStatus.ACTIVE)

    found = [find_link(brand_id=world.brand.pk, token=token) for token in tokens]
    assert {one.affiliate_id for one in found} == {affiliate.pk}
    assert Affiliate.objects.get(pk=affiliate.pk).merged_into is None


def test_own_order_of_whom_it_was_merged_into_is_held(world, affiliate, rival):
    visitor = came_by(world, affiliate)
    merge(world, affiliate, rival)
    visitor.client = rival.user

    order = world.convert(visitor, currency="EUR", lines=LINES)

    assert referral_of(order).outcome == "held"


def test_form_makes_no_merged_one_active(world, affiliate, rival):
    merge(world, affiliate, rival)
    affiliate.refresh_from_db()
    affiliate.status = "active"

    with pytest.raises(ValidationError) as refused:
        affiliate.full_clean()

    assert refused.value.message_dict == {
        "status": [
            "It was merged into rival: Approve, in the list, makes it one of its own "
            "again."
        ]
    }
