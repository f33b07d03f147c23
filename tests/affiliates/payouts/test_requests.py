"""An affiliate asks for its payable balance."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from affiliates.commissions.models import Commission
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.ledger.models import LedgerPosting
from affiliates.payouts.models import Payout
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.program.rules import AffiliateStatus
from affiliates.signals import payout_changed
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.books import PayoutFactory
from tests.factories.payouts import (
    DestinationFactory,
    PayoutTermsFactory,
    earn,
    take_back,
)
from tests.races import at_once, needs_postgresql


def request(affiliate, now, currency="EUR"):
    return request_payout(affiliate_id=affiliate.pk, currency=currency, now=now)


def refused_code(affiliate, now, currency="EUR") -> str:
    with nothing_written(), pytest.raises(StateConflict) as refused:
        request(affiliate, now, currency)
    code: str = refused.value.code
    return code


def test_whole_payable_balance_is_claimed_with_its_commissions(affiliate, terms, now):
    destination = DestinationFactory(affiliate=affiliate)
    earned = [earn(affiliate, 4_000), earn(affiliate, 3_500)]
    elsewhere = earn(affiliate, 9_000, "USD")
    nothing = earn(affiliate, 0)

    payout = request(affiliate, now)

    assert Payout.objects.get() == payout
    assert (payout.amount, payout.currency, payout.status) == (
        7_500,
        "EUR",
        "requested",
    )
    assert (payout.destination, payout.brand) == (destination, affiliate.brand)
    assert payout.requested_at == now
    assert standing(affiliate) == (0, 7_500, 0)
    assert standing(affiliate, "USD") == (9_000, 0, 0)
    assert set(payout.commissions.all()) == set(earned)
    for left_out in (elsewhere, nothing):
        assert Commission.objects.get(pk=left_out.pk).payout is None
    assert steps_of(payout) == [("", "requested")]
    assert payout.events.get().actor_id == affiliate.user_id
    assert LedgerPosting.objects.get(payout=payout).key == (
        f"payout:{payout.pk}:payout_requested"
    )


def test_outsiders_are_told(affiliate, terms, now, django_capture_on_commit_callbacks):
    told = []

    def receive(**fact):
        told.append(fact)

    payout_changed.connect(receive)
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 7_512)
    with django_capture_on_commit_callbacks(execute=True):
        payout = request(affiliate, now)
    payout_changed.disconnect(receive)

    [fact] = told
    assert (fact["brand_id"], fact["subject"], fact["at"]) == (
        affiliate.brand_id,
        f"payout:{payout.pk}",
        now,
    )
    assert fact["data"] == {
        "payout_id": payout.pk,
        "affiliate": "partner",
        "destination": "paypal",
        "currency": "EUR",
        "amount": "75.12",
        "status": "requested",
        "before": "",
        "reason": "",
        "reference": "",
    }


def test_minimum_is_the_least_that_is_paid(affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand, minimums={"EUR": 2_500})
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 2_499)
    assert refused_code(affiliate, now) == "below_minimum"

    earn(affiliate, 1)

    assert request(affiliate, now).amount == 2_500


def test_brand_without_terms_pays_fifty_units(affiliate, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 4_999)
    assert refused_code(affiliate, now) == "below_minimum"

    earn(affiliate, 1)

    assert request(affiliate, now).amount == 5_000


def test_changed_destination_is_paid_to_after_the_cool_off(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    change_destination(
        affiliate_id=affiliate.pk,
        kind="wallet",
        values={},
        now=now,
    )
    end = now + timedelta(days=7)

    assert refused_code(affiliate, end - timedelta(seconds=1)) == (
        "destination_cooling_off"
    )
    assert request(affiliate, end).destination.kind == "wallet"


def test_negative_balance_is_carried_and_taken_from_the_next(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 10_000)
    first = request(affiliate, now)
    take_back(affiliate, 3_000)
    approve_payouts(payout_ids=[first.pk], actor_id=None, now=now)
    confirm_payout(payout_id=first.pk, reference="PP-1", actor_id=None, now=now)
    assert standing(affiliate) == (-3_000, 0, 10_000)
    assert refused_code(affiliate, now) == "below_minimum"

    earn(affiliate, 9_000)
    second = request(affiliate, now)

    assert second.amount == 6_000
    assert standing(affiliate) == (0, 6_000, 10_000)


@pytest.mark.parametrize("status", [AffiliateStatus.PENDING, AffiliateStatus.SUSPENDED])
def test_affiliate_must_be_active(affiliate, terms, now, status):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    affiliate.status = status
    affiliate.save(update_fields=["status"])

    assert refused_code(affiliate, now) == "affiliate_inactive"


def test_destination_must_be_known(affiliate, terms, now):
    earn(affiliate)

    assert refused_code(affiliate, now) == "no_destination"


def test_destination_must_take_the_currency(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate, to="bank")
    earn(affiliate, currency="USD")

    assert refused_code(affiliate, now, "USD") == "currency_not_paid_there"


def test_destination_must_still_be_offered(affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand, kinds=["wallet", "bank", "offline"])
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)

    assert refused_code(affiliate, now) == "kind_not_offered"


def test_one_is_open_at_a_time_for_each_currency(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    request(affiliate, now)
    earn(affiliate)
    earn(affiliate, currency="USD")

    assert refused_code(affiliate, now) == "payout_open"
    assert request(affiliate, now, "USD").currency == "USD"


def test_database_holds_one_open_payout(affiliate, terms, now):
    PayoutFactory(affiliate=affiliate)

    with pytest.raises(IntegrityError), transaction.atomic():
        PayoutFactory(affiliate=affiliate)


@pytest.mark.parametrize("currency", ["", "eur", "EURO", "QQQ", "E R", "€"])
def test_currency_must_be_one(affiliate, terms, now, currency):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        request(affiliate, now, currency)

    assert (refused.value.code, refused.value.field) == ("unknown_currency", "currency")


def test_affiliate_that_is_none_is_not_found(db, now):
    with pytest.raises(NotFound):
        request_payout(affiliate_id=0, currency="EUR", now=now)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_many_at_once_make_one(affiliate, terms, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 7_500)

    def ask(_):
        try:
            return request(affiliate, now).pk
        except StateConflict as error:
            return error.code

    answers = at_once(20, ask)

    payout = Payout.objects.get()
    assert answers.count(payout.pk) == 1
    assert answers.count("payout_open") == 19
    assert standing(affiliate) == (0, 7_500, 0)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_affiliates_do_not_wait_for_each_other(affiliate, brand, host, terms, now):
    owners = [affiliate]
    for number in range(9):
        user = host.client(brand, email=f"a{number}@example.com")
        owners.append(AffiliateFactory(brand=brand, user=user))
    for owner in owners:
        DestinationFactory(affiliate=owner)
        earn(owner)

    at_once(10, lambda number: request(owners[number], now))

    assert [standing(owner) for owner in owners] == [(0, 10_000, 0)] * 10
