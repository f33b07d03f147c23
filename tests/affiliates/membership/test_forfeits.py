"""Only what an affiliate gave up is deducted, each commission and bonus by itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.db.models import Sum

from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.models import Adjustment
from affiliates.commissions.services.adjusting import (
    NewAdjustment,
    adjust,
    end_held_bonus,
)
from affiliates.commissions.services.maturing import mature_all
from affiliates.ledger.rules import Account, PostingKind
from affiliates.membership.departures import leave, settle_departures
from affiliates.membership.selectors import leaving_of
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from tests.affiliates.till import AFTER_HOLD
from tests.factories.payouts import DestinationFactory, earn
from tests.races import at_once, needs_postgresql


def pay_out(affiliate: Affiliate, staff: Any, at: Any) -> int:
    DestinationFactory(affiliate=affiliate)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=at)
    act = {"actor_id": staff.pk, "now": at}
    approve_payouts(payout_ids=[payout.pk], **act)
    export_batch(payout_ids=[payout.pk], **act)
    confirm_payout(payout_id=payout.pk, reference="REF-1", **act)
    return payout.pk


@pytest.fixture
def paid_out(affiliate, admin_user, terms, now) -> Any:
    """A payout of 100.00 before the affiliate leaves; call it to let it come back."""
    earn(affiliate, 100_00)
    pk = pay_out(affiliate, admin_user, now)

    def come_back() -> None:
        return_payout(payout_id=pk, reason="-", actor_id=admin_user.pk, now=now)

    return come_back


def give_up(affiliate: Affiliate, at: Any) -> AffiliateDeparture:
    return leave(affiliate_id=affiliate.pk, gives_up=True, now=at)


def settle(at: Any = AFTER_HOLD) -> None:
    settle_departures(lambda: at, lambda: False)


def take_back(affiliate: Affiliate) -> None:
    affiliates = Affiliate.objects.filter(pk=affiliate.pk)
    change_status(affiliates, status=AffiliateStatus.ACTIVE)


def posted() -> list[tuple[str, int]]:
    return list(Adjustment.objects.order_by("pk").values_list("kind", "amount"))


def add(affiliate: Affiliate, amount: int, now: Any, *, is_held: bool = False) -> None:
    bonus = NewAdjustment(affiliate.pk, "EUR", amount, "By hand", is_held)
    adjust([bonus], brand_id=affiliate.brand_id, actor_id=None, now=now)


def end_bonus(kind: PostingKind, actor: Any) -> None:
    end_held_bonus(
        adjustment_id=Adjustment.objects.get(kind="bonus_held").pk,
        kind=kind,
        reason="By hand",
        actor_id=actor.pk,
        now=AFTER_HOLD,
    )


def verify() -> None:
    call_command("verify_ledger", "--deep", verbosity=0)


def test_older_payout_that_comes_back_is_paid_though_what_was_given_up_was_refunded(
    affiliate, commission, till, paid_out, balance, now
):
    give_up(affiliate, now)
    till.refund("100.00")

    paid_out()
    mature_all(now=lambda: AFTER_HOLD)
    settle()

    assert balance()[Account.PAYABLE] == 100_00
    assert posted() == []
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=AFTER_HOLD)
    assert payout.amount == 100_00


def test_payout_that_comes_back_is_paid_while_what_was_given_up_waits(
    affiliate, commission, paid_out, balance, now
):
    give_up(affiliate, now)
    paid_out()

    parts = leaving_of(Affiliate.objects.get(pk=affiliate.pk)).balances
    assert [(part.unpaid.total, part.end) for part in parts] == [
        (10_00, "given_up"),
        (100_00, "paid"),
    ]
    assert request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    mature_all(now=lambda: AFTER_HOLD)
    settle()
    assert balance() == {Account.EXPENSE: -100_00, Account.CLEARING: 100_00}


def test_later_bonus_is_not_deducted(affiliate, commission, balance, now):
    give_up(affiliate, now)

    add(affiliate, 8_00, now)
    settle()

    assert balance()[Account.PAYABLE] == 8_00
    mature_all(now=lambda: AFTER_HOLD)
    settle()
    assert balance()[Account.PAYABLE] == 8_00


def test_refund_of_a_sale_that_was_paid_before_stays_a_debt(
    affiliate, commission, till, admin_user, terms, balance, now
):
    mature_all(now=lambda: AFTER_HOLD)
    earn(affiliate, 40_00)
    pay_out(affiliate, admin_user, AFTER_HOLD)
    earn(affiliate, 50_00)
    give_up(affiliate, AFTER_HOLD)

    till.refund("100.00", at=AFTER_HOLD)
    settle()

    assert balance()[Account.PAYABLE] == -10_00
    assert posted() == [("deduction", 50_00)]


def test_refund_is_given_back_though_other_money_is_payable(
    affiliate, commission, till, paid_out, balance, now
):
    mature_all(now=lambda: AFTER_HOLD)
    give_up(affiliate, AFTER_HOLD)
    paid_out()

    till.refund("50.00", at=AFTER_HOLD)
    settle()

    assert balance()[Account.PAYABLE] == 100_00
    assert posted() == [("deduction", 10_00), ("bonus", 5_00)]
    assert list(ForfeitDeduction.objects.values_list("amount", flat=True)) == [
        10_00,
        -5_00,
    ]


def test_refund_is_given_back_after_staff_took_the_affiliate_back(
    affiliate, commission, till, balance, now
):
    mature_all(now=lambda: AFTER_HOLD)
    give_up(affiliate, AFTER_HOLD)
    take_back(affiliate)

    till.refund("100.00", at=AFTER_HOLD)
    settle()

    assert balance() == {}
    verify()


def test_second_departure_takes_nothing_that_the_first_took(
    affiliate, commission, till, balance, now
):
    mature_all(now=lambda: AFTER_HOLD)
    give_up(affiliate, AFTER_HOLD)
    take_back(affiliate)
    add(affiliate, 8_00, AFTER_HOLD)

    second = give_up(affiliate, AFTER_HOLD + timedelta(days=1))
    till.refund("100.00", at=AFTER_HOLD)
    settle()

    assert second.forfeited == {"EUR": 8_00}
    assert balance() == {}
    assert posted() == [
        ("deduction", 10_00),
        ("bonus", 8_00),
        ("deduction", 8_00),
        ("bonus", 10_00),
    ]


@pytest.mark.parametrize(
    ("kind", "adjustments"),
    [
        (PostingKind.BONUS_RELEASED, [("deduction", 6_00)]),
        (PostingKind.BONUS_WITHDRAWN, []),
    ],
)
def test_held_bonus_is_deducted_once_it_is_released(
    affiliate, balance, admin_user, kind, adjustments, now
):
    add(affiliate, 6_00, now, is_held=True)
    departure = give_up(affiliate, now)
    settle()

    end_bonus(kind, admin_user)
    settle()

    assert departure.forfeited == {"EUR": 6_00}
    assert posted()[2:] == adjustments
    assert balance() == {}


def test_debt_is_set_off_before_anything_is_deducted(
    affiliate, commission, till, balance, now
):
    add(affiliate, -4_00, now)

    departure = give_up(affiliate, now)
    mature_all(now=lambda: AFTER_HOLD)
    settle()

    assert departure.forfeited == {"EUR": 6_00}
    assert posted() == [("deduction", 4_00), ("deduction", 6_00)]
    assert balance() == {}
    till.refund("100.00", at=AFTER_HOLD)
    settle()
    assert balance()[Account.PAYABLE] == -4_00
    verify()


def test_rows_of_a_departure_cannot_be_changed(affiliate, commission, now):
    departure = give_up(affiliate, now)
    mature_all(now=lambda: AFTER_HOLD)
    settle()
    take_back(affiliate)

    for rows, values in (
        (AffiliateDeparture.objects.filter(pk=departure.pk), {"ended_at": None}),
        (AffiliateDeparture.objects.filter(pk=departure.pk), {"is_given_up": False}),
        (ForfeitedAmount.objects.all(), {"amount": 1}),
        (ForfeitDeduction.objects.all(), {"amount": 1}),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**values)
    verify()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_refunds_and_settling_at_once_lose_nothing(
    affiliate, commission, till, paid_out, balance, now
):
    mature_all(now=lambda: AFTER_HOLD)
    give_up(affiliate, AFTER_HOLD)
    paid_out()

    def act(number: int) -> None:
        if number % 2:
            till.refund("10.00", ref=f"refund-{number}", at=AFTER_HOLD)
        settle()

    at_once(10, act)
    settle()

    assert balance()[Account.PAYABLE] == 100_00
    total = ForfeitDeduction.objects.aggregate(total=Sum("amount"))["total"]
    assert total == 5_00
