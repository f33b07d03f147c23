"""An affiliate leaves the program: its money, its ways in, and what it earns no more."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from affiliates.commissions.models import Adjustment, Commission
from affiliates.commissions.services.maturing import mature_all
from affiliates.emails.models import Email
from affiliates.emails.types import money
from affiliates.errors import StateConflict
from affiliates.ledger.rules import Account
from affiliates.membership.departures import leave, settle_departures
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import find_link
from affiliates.program.services import change_status
from affiliates.sales.models import Sale
from affiliates.webhooks.models import Webhook
from tests.affiliates.till import AFTER_HOLD
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateLinkFactory
from tests.factories.books import PayoutFactory
from tests.factories.integrations import WebhookFactory
from tests.factories.payouts import (
    DestinationFactory,
    PayoutTermsFactory,
    earn,
    take_back,
)
from tests.races import at_once, needs_postgresql


def go(affiliate: Affiliate, now: Any, *, gives_up: bool = False) -> AffiliateDeparture:
    return leave(affiliate_id=affiliate.pk, gives_up=gives_up, now=now)


def refused(affiliate: Affiliate, now: Any, **choice: bool) -> str:
    with nothing_written(), pytest.raises(StateConflict) as error:
        go(affiliate, now, **choice)
    code: str = error.value.code
    return code


def settle(at: Any) -> str:
    return settle_departures(lambda: at, lambda: False)


def adjustments() -> list[tuple[str, int, str]]:
    return list(
        Adjustment.objects.order_by("pk").values_list("kind", "amount", "reason")
    )


@pytest.fixture
def forfeiting(brand):
    return PayoutTermsFactory(brand=brand, pays_rest=False)


def test_it_stays_with_its_money_and_earns_no_more(affiliate, commission, balance, now):
    link = AffiliateLinkFactory(affiliate=affiliate)
    WebhookFactory(brand=affiliate.brand, affiliate=affiliate)

    departure = go(affiliate, now)

    affiliate.refresh_from_db()
    assert affiliate.status == "left"
    assert (departure.left_at, departure.forfeited, departure.ended_at) == (
        now,
        {},
        None,
    )
    assert balance() == {Account.EXPENSE: -10_00, Account.PENDING: 10_00}
    assert adjustments() == []
    found = find_link(brand_id=affiliate.brand_id, token=link.hash)
    assert found is not None
    assert found.status == "left"
    webhook = Webhook.objects.get()
    assert (webhook.is_active, webhook.end) == (False, "left")


def test_what_is_pending_matures_and_any_amount_of_it_is_paid(
    affiliate, commission, balance, admin_user, terms, now
):
    DestinationFactory(affiliate=affiliate)
    go(affiliate, now)

    mature_all(now=lambda: AFTER_HOLD)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=AFTER_HOLD)
    done = approve_payouts(
        payout_ids=[payout.pk], actor_id=admin_user.pk, now=AFTER_HOLD
    )

    assert (payout.amount, done.done, done.refused) == (10_00, 1, ())
    assert balance() == {Account.EXPENSE: -10_00, Account.CLEARING: 10_00}


def test_invoice_that_is_paid_later_earns_nothing(
    affiliate, rival, buyer, plan, order, till, now
):
    affiliate.recruiter = rival
    affiliate.save()
    go(affiliate, now)

    till.pay("100.00")

    assert Sale.objects.get().reason == "affiliate_left"
    commission = Commission.objects.get()
    assert (commission.status, commission.reason) == ("rejected", "affiliate_left")
    assert commission.reason_text == (
        "The affiliate had left the program when the invoice was paid."
    )
    assert not Email.objects.filter(kind="sale").exists()
    call_command("verify_ledger", "--deep", verbosity=0)


def test_recruiter_that_has_left_gets_no_share_of_later_sales(affiliate, rival, now):
    affiliate.recruiter = rival
    affiliate.save()
    assert affiliate.sharer == rival

    go(rival, now)

    assert Affiliate.objects.get(pk=affiliate.pk).sharer is None


def test_given_up_balance_is_deducted_now_and_when_it_matures(
    affiliate, commission, balance, now
):
    earn(affiliate, 70_00)

    departure = go(affiliate, now, gives_up=True)

    assert departure.forfeited == {"EUR": 80_00}
    assert balance() == {Account.EXPENSE: -10_00, Account.PENDING: 10_00}
    given_up = "Given up by leaving the program."
    assert adjustments() == [("deduction", 70_00, given_up)]

    mature_all(now=lambda: AFTER_HOLD)
    assert settle(AFTER_HOLD) == "1 deductions or bonuses posted."
    assert settle(AFTER_HOLD) == ""
    assert balance() == {}
    assert adjustments()[1:] == [("deduction", 10_00, given_up)]


def test_given_up_balance_is_never_paid(affiliate, commission, terms, now):
    DestinationFactory(affiliate=affiliate)
    go(affiliate, now, gives_up=True)
    mature_all(now=lambda: AFTER_HOLD)

    with nothing_written(), pytest.raises(StateConflict) as error:
        request_payout(affiliate_id=affiliate.pk, currency="EUR", now=AFTER_HOLD)

    assert error.value.code == "balance_forfeited"


def test_refund_of_a_given_up_commission_leaves_no_debt(
    affiliate, commission, balance, till, now
):
    mature_all(now=lambda: AFTER_HOLD)
    go(affiliate, AFTER_HOLD, gives_up=True)
    till.refund("40.00", at=AFTER_HOLD)
    assert balance()[Account.PAYABLE] == -4_00

    settle(AFTER_HOLD)

    assert balance() == {}
    assert adjustments()[1:] == [
        ("bonus", 4_00, "A refund took back what was given up or forfeited.")
    ]
    till.cancel(at=AFTER_HOLD)
    settle(AFTER_HOLD)
    assert balance() == {}
    call_command("verify_ledger", "--deep", verbosity=0)


def test_rest_below_the_minimum_is_forfeited_by_the_terms(
    affiliate, forfeiting, balance, now
):
    earn(affiliate, 49_99)
    earn(affiliate, 50_00, "USD")

    departure = go(affiliate, now)

    assert (departure.forfeited, departure.is_given_up) == ({"EUR": 49_99}, False)
    assert balance() == {}
    assert balance("USD") == {Account.EXPENSE: -50_00, Account.PAYABLE: 50_00}
    assert adjustments() == [
        (
            "deduction",
            49_99,
            "Forfeited by leaving the program: it is below the minimum payout.",
        )
    ]


def test_payout_that_comes_back_is_not_forfeited(
    affiliate, forfeiting, balance, admin_user, now
):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 500_00)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    approve_payouts(payout_ids=[payout.pk], actor_id=admin_user.pk, now=now)
    export_batch(payout_ids=[payout.pk], actor_id=admin_user.pk, now=now)
    confirm_payout(
        payout_id=payout.pk, reference="REF-1", actor_id=admin_user.pk, now=now
    )
    earn(affiliate, 10_00)
    go(affiliate, now)

    return_payout(payout_id=payout.pk, reason="Closed", actor_id=admin_user.pk, now=now)

    assert settle(now) == ""
    assert balance() == {Account.EXPENSE: -500_00, Account.PAYABLE: 500_00}
    assert request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)


def test_debt_stays(affiliate, balance, now):
    earn(affiliate, 10_00)
    take_back(affiliate, 30_00)

    departure = go(affiliate, now, gives_up=True)

    assert departure.forfeited == {}
    assert balance() == {Account.EXPENSE: 20_00, Account.PAYABLE: -20_00}
    assert settle(now) == ""
    email = Email.objects.get(kind="left")
    assert email.values["owed"] == [money(20_00, "EUR")]


def test_payout_under_way_is_paid_and_its_money_stays_if_it_fails(
    affiliate, forfeiting, admin_user, balance, now
):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 60_00)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    earn(affiliate, 5_00)

    departure = go(affiliate, now)
    reject_payout(
        payout_id=payout.pk, reason="No such account", actor_id=admin_user.pk, now=now
    )

    assert departure.forfeited == {}
    assert settle(now) == ""
    assert balance()[Account.PAYABLE] == 65_00


def test_giving_up_waits_for_a_payout_under_way(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 60_00)
    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)

    assert refused(affiliate, now, gives_up=True) == "payout_open"


def test_nobody_leaves_while_a_payout_is_being_sent(affiliate, now):
    PayoutFactory(affiliate=affiliate, status=PayoutStatus.EXPORTED)
    earn(affiliate, 60_00)

    assert refused(affiliate, now) == "payout_being_sent"


@pytest.mark.parametrize("is_merged", [False, True])
def test_suspended_or_merged_affiliate_cannot_leave(affiliate, rival, is_merged, now):
    Affiliate.objects.filter(pk=affiliate.pk).update(
        status=AffiliateStatus.SUSPENDED, merged_into=rival if is_merged else None
    )

    assert refused(affiliate, now) == "affiliate_suspended"


def test_leaving_again_changes_nothing(affiliate, commission, now):
    first = go(affiliate, now)

    with nothing_written():
        again = go(affiliate, AFTER_HOLD, gives_up=True)

    assert again == first


def test_application_can_be_withdrawn(affiliate, now):
    Affiliate.objects.filter(pk=affiliate.pk).update(status=AffiliateStatus.PENDING)

    go(affiliate, now)

    assert Affiliate.objects.get(pk=affiliate.pk).status == "left"
    assert list(Email.objects.values_list("kind", flat=True)) == ["left"]


def test_staff_take_it_back_and_it_may_leave_again(
    affiliate, buyer, plan, till, balance, now
):
    earn(affiliate, 70_00)
    first = go(affiliate, now, gives_up=True)
    change_status(
        Affiliate.objects.filter(pk=affiliate.pk), status=AffiliateStatus.ACTIVE
    )
    earn(affiliate, 8_00)

    assert settle(now) == ""
    assert balance()[Account.PAYABLE] == 8_00
    first.refresh_from_db()
    assert first.ended_at is not None
    assert go(affiliate, now) != first
    assert AffiliateDeparture.objects.filter(ended_at=None).count() == 1


def test_it_is_told_what_becomes_of_its_balances(affiliate, commission, now):
    earn(affiliate, 70_00, "USD")

    departure = go(affiliate, now)

    email = Email.objects.get(kind="left")
    assert email.key == f"left:{departure.pk}"
    assert email.values["paid"] == [money(10_00, "EUR"), money(70_00, "USD")]
    assert email.values["matures"] == {"day": AFTER_HOLD.isoformat()}


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_leaving_and_a_payout_at_once_lose_nothing(affiliate, terms, balance, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 75_00)

    def act(number: int) -> str:
        try:
            if number % 2:
                go(affiliate, now, gives_up=True)
                return "left"
            request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
        except StateConflict as error:
            return error.code
        return "requested"

    answers = at_once(8, act)

    if "requested" in answers:
        assert answers.count("requested") == 1
        assert "left" not in answers
        assert balance() == {Account.EXPENSE: -75_00, Account.CLEARING: 75_00}
    else:
        assert balance() == {}
        assert Payout.objects.count() == 0
