"""What one affiliate has is given to another."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.urls import reverse

from affiliates.commissions.models import Adjustment
from affiliates.commissions.services.maturing import mature_all
from affiliates.errors import InvalidInput, NotAllowed
from affiliates.ledger.rules import Account
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.program.history_models import AffiliateTransfer
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral
from tests.affiliates.till import AFTER_HOLD
from tests.database import nothing_written
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.factories.ledger import ClientReferralFactory
from tests.factories.payouts import earn, take_back
from tests.factories.plans import CouponCodeFactory
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql


def give(
    source: Affiliate, target: Affiliate, now, **changed: Any
) -> AffiliateTransfer:
    wanted = {
        "source_id": source.pk,
        "target_id": target.pk,
        "parts": list(TransferPart),
        "merges": False,
        "reason": marker("staff", "transfer"),
        "key": uuid4(),
        "actor_id": None,
        **changed,
    }
    actor_id = wanted.pop("actor_id")
    return transfer(Transfer(**wanted), actor_id=actor_id, now=now)


@pytest.fixture
def payable(commission, affiliate) -> int:
    """Genuine earnings, matured."""
    mature_all(now=lambda: AFTER_HOLD)
    return 10_00


def test_everything_is_given(affiliate, rival, buyer, payable, balance, staff, now):
    bound = ClientReferralFactory(affiliate=affiliate, client=buyer)
    link = AffiliateLinkFactory(affiliate=affiliate)
    coupon = CouponCodeFactory(brand=affiliate.brand, affiliate=affiliate)

    done = give(affiliate, rival, AFTER_HOLD, actor_id=staff.pk)

    for row in (bound, link, coupon):
        row.refresh_from_db()
        assert row.affiliate == rival
    assert CouponCodeVersion.objects.filter(coupon=coupon).first().affiliate == rival
    assert balance().get(Account.PAYABLE, 0) == 0
    assert balance(of=rival)[Account.PAYABLE] == payable
    assert done.given == {
        "clients": 1,
        "links": 1,
        "coupons": 1,
        "balance": {"EUR": payable},
    }
    affiliate.refresh_from_db()
    assert affiliate.status == "active"
    call_command("verify_ledger", "--deep", verbosity=0)


def test_orders_stay_as_they_were_decided(affiliate, rival, order, payable, now):
    give(affiliate, rival, AFTER_HOLD)

    order.refresh_from_db()
    assert order.affiliate == affiliate


def test_only_what_is_chosen_is_given(affiliate, rival, buyer, payable, balance):
    bound = ClientReferralFactory(affiliate=affiliate, client=buyer)

    done = give(affiliate, rival, AFTER_HOLD, parts=[TransferPart.CLIENTS])

    bound.refresh_from_db()
    assert bound.affiliate == rival
    assert done.given == {"clients": 1}
    assert balance()[Account.PAYABLE] == payable


def _owner(row):
    row.refresh_from_db()
    return row.affiliate


def test_what_one_had_who_was_merged_before_is_given_too(
    affiliate, rival, buyer, host, now
):
    user = host.client(affiliate.brand, email="earlier@example.com")
    earlier = AffiliateFactory(brand=affiliate.brand, user=user, code="earlier")
    rows = [
        ClientReferralFactory(affiliate=earlier, client=buyer),
        AffiliateLinkFactory(affiliate=earlier),
        CouponCodeFactory(affiliate=earlier),
    ]
    give(earlier, affiliate, now, parts=[], merges=True)
    assert {_owner(row) for row in rows} == {earlier}

    done = give(
        affiliate,
        rival,
        now,
        parts=[TransferPart.CLIENTS, TransferPart.LINKS, TransferPart.COUPONS],
    )

    assert {_owner(row) for row in rows} == {rival}
    assert done.given == {"clients": 1, "links": 1, "coupons": 1}
    call_command("verify_ledger", "--deep", verbosity=0)


def test_debt_moves_as_well(affiliate, rival, balance, now):
    earn(affiliate, 10_00)
    take_back(affiliate, 14_00)

    give(affiliate, rival, now)

    assert balance().get(Account.PAYABLE, 0) == 0
    assert balance(of=rival)[Account.PAYABLE] == -4_00


def test_same_page_sent_twice_does_it_once(affiliate, rival, payable, balance):
    key = uuid4()

    first = give(affiliate, rival, AFTER_HOLD, key=key)
    second = give(affiliate, rival, AFTER_HOLD, key=key)

    assert first == second
    assert Adjustment.objects.count() == 2
    assert balance(of=rival)[Account.PAYABLE] == payable


def test_merge_suspends_the_source(affiliate, rival, payable):
    done = give(affiliate, rival, AFTER_HOLD, merges=True)

    affiliate.refresh_from_db()
    assert affiliate.status == "suspended"
    assert done.given["merged"] is True
    call_command("verify_ledger", "--deep", verbosity=0)


def test_nobody_becomes_the_client_of_themselves(affiliate, rival, now):
    bound = ClientReferralFactory(affiliate=affiliate, client=rival.user)

    done = give(affiliate, rival, now)

    bound.refresh_from_db()
    assert bound.affiliate == affiliate
    assert done.given["clients"] == 0


@pytest.mark.parametrize("_case", ["other brand", "suspended", "itself"])
def test_others_are_no_target(_case, affiliate, rival, host, now):
    match _case:
        case "other brand":
            brand = BrandFactory(client_area="other.example.com")
            user = host.client(brand, email="other@example.com")
            target = AffiliateFactory(brand=brand, user=user, code="other")
        case "suspended":
            rival.status = "suspended"
            rival.save()
            target = rival
        case "itself":
            target = affiliate

    with nothing_written(), pytest.raises(InvalidInput):
        give(affiliate, target, now)


def test_nobody_gives_to_themselves(affiliate, rival, now):
    with nothing_written(), pytest.raises(NotAllowed):
        give(affiliate, rival, now, actor_id=rival.user_id)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_transfers_there_and_back_at_once_lose_nothing(
    affiliate, rival, buyer, payable, balance
):
    ClientReferralFactory(affiliate=affiliate, client=buyer)
    pairs = [(affiliate, rival), (rival, affiliate)]

    at_once(8, lambda number: give(*pairs[number % 2], AFTER_HOLD))

    sums = [balance(of=one).get(Account.PAYABLE, 0) for one in (affiliate, rival)]
    assert sorted(sums) == [0, payable]
    assert ClientReferral.objects.count() == 1
    assert AffiliateTransfer.objects.count() == 8
    call_command("verify_ledger", "--deep", verbosity=0)


def test_page_asks_shows_and_gives(admin_client, affiliate, rival, buyer, payable):
    ClientReferralFactory(affiliate=affiliate, client=buyer)
    path = reverse("admin:affiliates_affiliate_transfer", args=[affiliate.pk])
    asked = admin_client.get(path).content.decode()
    answers = {
        "target": rival.pk,
        "parts": list(TransferPart),
        "merges": "on",
        "reason": marker("staff", "transfer"),
        "key": str(uuid4()),
    }

    with nothing_written():
        shown = admin_client.post(path, answers).content.decode()
    admin_client.post(path, {**answers, "confirmed": "yes"})
    admin_client.post(path, {**answers, "confirmed": "yes"})

    assert "€10.00" in asked
    assert "Orders decided so far (1)" in shown
    done = AffiliateTransfer.objects.get()
    assert (done.source, done.target, done.reason) == (
        affiliate,
        rival,
        marker("staff", "transfer"),
    )
    assert done.given["balance"] == {"EUR": payable}


@pytest.mark.parametrize("whose", ["nobody", "source"])
def test_page_takes_no_other_affiliate(admin_client, affiliate, whose):
    target = {"nobody": 0, "source": affiliate.pk}[whose]
    path = reverse("admin:affiliates_affiliate_transfer", args=[affiliate.pk])
    answers = {
        "target": target,
        "parts": ["links"],
        "reason": "!",
        "key": str(uuid4()),
    }

    with nothing_written():
        answer = admin_client.post(path, {**answers, "confirmed": "yes"})

    said = "Choose an active affiliate of this brand."
    assert said in answer.content.decode()
