"""Affiliates that leave the program by themselves, and the balances that they forfeit."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.forfeits import (
    KEY,
    Changes,
    affiliates_to_settle,
    changes_due,
    named_amounts,
)
from affiliates.commissions.models import Adjustment
from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.db.records import lock
from affiliates.errors import StateConflict
from affiliates.membership.emails import notify_of_departure
from affiliates.membership.selectors import leaving_of
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

GIVEN_UP = "Given up by leaving the program."
FORFEITED = "Forfeited by leaving the program: it is below the minimum payout."
GIVEN_BACK = "A refund took back what was given up or forfeited."


@transaction.atomic
def leave(*, affiliate_id: int, gives_up: bool, now: datetime) -> AffiliateDeparture:
    """The affiliate leaves; a repeat changes nothing.

    What it has earned is paid as usual, unless the affiliate gives it up or the payout
    terms forfeit a rest below the minimum. Raises StateConflict for a suspended
    affiliate, while a payout is being sent, and with ``gives_up`` while any payout is
    under way.
    """
    # Payouts and all changes of the payable balance wait for this lock.
    affiliate = lock(Affiliate, affiliate_id)
    leaving = leaving_of(affiliate, gives_up=gives_up)
    if leaving.departure is not None:
        return leaving.departure
    if leaving.refusal is not None:
        raise StateConflict(*leaving.refusal)
    departure = AffiliateDeparture.objects.create(
        affiliate=affiliate,
        left_at=now,
        forfeited={
            balance.currency: balance.total
            for balance, end in leaving.balances
            if end.is_kept
        },
        is_given_up=gives_up,
    )
    for currency, total in departure.forfeited.items():
        _name_amounts(departure, currency, total)
    change_status(
        Affiliate.objects.filter(pk=affiliate_id), status=AffiliateStatus.LEFT
    )
    settle_forfeited(affiliate_id=affiliate_id, now=now)
    notify_of_departure(departure, leaving.balances, now=now)
    return departure


@register(
    "departures",
    every=timedelta(hours=1),
    does="Deducts balances that affiliates gave up or forfeited by leaving, as they become "
    "payable.",
)
def settle_departures(now: Clock, should_stop: ShouldStop) -> str:
    posted = 0
    for affiliate_id in list(affiliates_to_settle()):
        if should_stop():
            break
        posted += settle_forfeited(affiliate_id=affiliate_id, now=now())
    return f"{posted:,} deductions or bonuses posted." if posted else ""


@transaction.atomic
def settle_forfeited(*, affiliate_id: int, now: datetime) -> int:
    """Deducts what has become payable of the forfeited amounts, and gives back what
    refunds have taken of them since. Returns the number of postings."""
    affiliate = lock(Affiliate, affiliate_id)
    return sum(
        _settle(departure, currency, changes, affiliate=affiliate, now=now)
        for departure, currency, changes in changes_due(affiliate_id)
    )


def _name_amounts(departure: AffiliateDeparture, currency: str, total: int) -> None:
    amounts = list(named_amounts(departure.affiliate_id, currency))
    rest = total - sum(amount.amount for amount in amounts)
    if rest:
        amounts.append(ForfeitedAmount(currency=currency, amount=rest))
    for amount in amounts:
        amount.departure = departure
    ForfeitedAmount.objects.bulk_create(amounts)


def _settle(
    departure: AffiliateDeparture,
    currency: str,
    changes: Changes,
    *,
    affiliate: Affiliate,
    now: datetime,
) -> int:
    total = sum(changes.values())
    adjustment = None
    if total:
        wanted = _adjustment(departure, currency, -total)
        adjust([wanted], brand_id=affiliate.brand_id, actor_id=None, now=now)
        adjustment = Adjustment.objects.get(key=wanted.key)
    ForfeitDeduction.objects.bulk_create(
        ForfeitDeduction(forfeited_id=pk, adjustment=adjustment, amount=amount)
        for pk, amount in changes.items()
    )
    return 0 if adjustment is None else 1


def _adjustment(
    departure: AffiliateDeparture, currency: str, amount: int
) -> NewAdjustment:
    reason = GIVEN_UP if departure.is_given_up else FORFEITED
    key = f"{KEY.format(departure.pk)}{currency}:"
    earlier = Adjustment.objects.filter(
        affiliate_id=departure.affiliate_id, key__startswith=key
    )
    return NewAdjustment(
        affiliate_id=departure.affiliate_id,
        currency=currency,
        amount=amount,
        reason=reason if amount < 0 else GIVEN_BACK,
        key=f"{key}{earlier.count() + 1}",
    )
