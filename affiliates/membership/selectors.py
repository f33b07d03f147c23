"""The balances of affiliates who leave, and the outcome for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Max

from affiliates.commissions.forfeits import left_to_forfeit
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.membership.rules import (
    BalanceEnd,
    Unpaid,
    end_of,
    judge_leaving,
    split,
)
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus, Refusal
from affiliates.payouts.selectors import balances, payout_terms
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import open_departure


class BalanceOnLeaving(NamedTuple):
    unpaid: Unpaid
    end: BalanceEnd

    @property
    def currency(self) -> str:
        return self.unpaid.currency


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """The consequences of leaving now, or those of the open ``departure``.

    ``balances`` are the unsettled ones, in order of the currency's code.
    """

    departure: AffiliateDeparture | None
    refusal: Refusal | None
    balances: tuple[BalanceOnLeaving, ...]


def leaving_of(affiliate: Affiliate, *, gives_up: bool = False) -> Leaving:
    departure = open_departure(affiliate.pk) if affiliate.has_left else None
    unpaid = unpaid_of(affiliate)
    if departure is not None:
        kept = left_to_forfeit(affiliate.pk)
        parts = [
            BalanceOnLeaving(part, _end_after(departure, part, is_kept=is_kept))
            for balance in unpaid
            for part, is_kept in split(balance, kept=kept.get(balance.currency, 0))
        ]
        return Leaving(departure=departure, refusal=None, balances=tuple(parts))
    status = AffiliateStatus(affiliate.status)
    pays_rest = payout_terms(affiliate.brand_id).pays_rest
    ends = (
        end_of(balance, pays_rest=pays_rest, gives_up=gives_up) for balance in unpaid
    )
    return Leaving(
        departure=None,
        refusal=judge_leaving(status, unpaid, gives_up=gives_up),
        balances=tuple(map(BalanceOnLeaving, unpaid, ends)),
    )


def _end_after(
    departure: AffiliateDeparture, unpaid: Unpaid, *, is_kept: bool
) -> BalanceEnd:
    end = end_of(unpaid, pays_rest=True, gives_up=is_kept)
    is_by_terms = end is BalanceEnd.GIVEN_UP and not departure.is_given_up
    return BalanceEnd.FORFEITED if is_by_terms else end


def unpaid_of(affiliate: Affiliate) -> list[Unpaid]:
    """The balances that are not settled, in order of the currency's code."""
    terms = payout_terms(affiliate.brand_id).to_terms()
    own = Commission.objects.filter(
        affiliate=affiliate, status=CommissionStatus.PENDING
    ).order_by()
    matures = dict(own.values_list("currency").annotate(Max("matures_at")))
    sent = set(
        Payout.objects.filter(
            affiliate=affiliate, status=PayoutStatus.EXPORTED
        ).values_list("currency", flat=True)
    )
    found = [
        Unpaid(
            currency=balance.currency,
            pending=balance.pending,
            held=balance.held,
            payable=balance.payable,
            being_paid=balance.being_paid,
            is_being_sent=balance.currency in sent,
            matures=matures.get(balance.currency),
            minimum=terms.minimum(balance.currency, status=AffiliateStatus.ACTIVE),
        )
        for balance in balances(affiliate.pk)
    ]
    return [
        balance
        for balance in found
        if balance.pending or balance.held or balance.payable or balance.being_paid
    ]
