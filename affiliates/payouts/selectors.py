"""Affiliates' balances and offers, and the files and statements of payouts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.brands.roles import has_two_who_may
from affiliates.commissions.forfeits import payable_deductions
from affiliates.commissions.holds import Hold, holds_of
from affiliates.errors import InvalidInput, StateConflict
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balance, balances_of
from affiliates.payouts import details, rules
from affiliates.payouts.models import (
    OPEN_STATUSES,
    Payout,
    PayoutBatch,
    PayoutDestination,
    PayoutTerms,
)
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.providers.registry import PROVIDERS, codes_of
from affiliates.payouts.requirements.registry import unmet_requirement
from affiliates.payouts.rules import (
    Destination,
    PayoutStatus,
    Refusal,
    Request,
    Terms,
)
from affiliates.payouts.sending_models import account_for, most_in_batch
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Balances:
    """An affiliate's money in one currency, in minor units."""

    currency: str
    pending: int
    held: int
    payable: int
    being_paid: int
    paid_out: int
    hold: Hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The amount and destination of a payout requested now, and any refusal.

    ``payable`` and ``minimum`` are in minor units. ``kinds`` are the destinations that
    the brand offers and that take the currency.
    """

    currency: str
    payable: int
    minimum: int
    destination: PayoutDestination | None
    open_payout_id: int | None
    refusal: Refusal | None
    kinds: tuple[str, ...]

    @property
    def missing(self) -> int:
        """How much more must become payable to reach the minimum."""
        return max(self.minimum - self.payable, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFile:
    name: str
    content_type: str
    text: str


def terms_of(brand_id: int) -> Terms:
    """The brand's terms, or the defaults where none were saved."""
    return offered_terms(payout_terms(brand_id))


def offered_terms(saved: PayoutTerms) -> Terms:
    """The brand's terms, without account credit if the host has none.

    Also without what is paid from a payout account alone, if the brand has none.
    """
    terms = saved.to_terms()
    kinds = {
        kind
        for kind in filter(can_be_paid_to, terms.kinds)
        if not PROVIDERS[kind].needs_account or account_for(saved.brand_id, kind)
    }
    return replace(terms, kinds=frozenset(kinds))


def can_be_paid_to(kind: str) -> bool:
    """False for account credit if the host has none, and for what is not installed."""
    provider = PROVIDERS.get(kind)
    if provider is None:
        return False
    return provider.way is not Way.CREDIT or keeps_account_credit()


def keeps_account_credit() -> bool:
    """Whether the host has written ``credit_wallet``."""
    return type(get_adapter()).credit_wallet is not HostAdapter.credit_wallet


def payout_terms(brand_id: int) -> PayoutTerms:
    saved = PayoutTerms.objects.filter(brand_id=brand_id).first()
    return saved or PayoutTerms(brand_id=brand_id)


def needs_second_person(brand_id: int) -> bool:
    """By the brand's terms; without terms, if two persons may approve."""
    saved = PayoutTerms.objects.filter(brand_id=brand_id)
    for_two = saved.values_list("needs_second_person", flat=True).first()
    return has_two_who_approve(brand_id) if for_two is None else for_two


def has_two_who_approve(brand_id: int) -> bool:
    return has_two_who_may("affiliates.approve_payout", brand_id=brand_id)


def current_destination(affiliate_id: int) -> PayoutDestination | None:
    destinations = PayoutDestination.objects.filter(affiliate_id=affiliate_id)
    return destinations.select_related("affiliate").order_by("-id").first()


def offer_of(affiliate: Affiliate, currency: str, *, now: datetime) -> Offer:
    """Raises InvalidInput for an unknown currency."""
    if not rules.is_currency(currency):
        raise InvalidInput(
            "unknown_currency",
            "Give the three letters of a currency, such as EUR.",
            field="currency",
        )
    payable = balance(affiliate.pk, currency, Account.PAYABLE)
    return offers_of(affiliate, {currency: payable}, now=now)[currency]


def offers_of(
    affiliate: Affiliate, payable: Mapping[str, int], *, now: datetime
) -> dict[str, Offer]:
    """An offer for each currency. ``payable`` are the affiliate's payable balances."""
    terms = terms_of(affiliate.brand_id)
    status = AffiliateStatus(affiliate.status)
    destination = current_destination(affiliate.pk)
    forfeited = payable_deductions(affiliate.pk) if affiliate.has_left else {}
    under_way = Payout.objects.filter(affiliate=affiliate, status__in=OPEN_STATUSES)
    open_payouts = dict(under_way.values_list("currency", "pk"))

    def offer(currency: str) -> Offer:
        request = Request(
            currency=currency,
            payable=payable[currency],
            status=status,
            is_forfeited=forfeited.get(currency, 0) > 0,
            has_open_payout=currency in open_payouts,
            destination=None
            if destination is None
            else Destination(
                provider=PROVIDERS.get(destination.kind),
                usable_from=destination.paid_from,
            ),
        )
        return Offer(
            currency=currency,
            payable=payable[currency],
            minimum=terms.minimum(currency, status=status),
            destination=destination,
            open_payout_id=open_payouts.get(currency),
            refusal=rules.judge_request(request, terms=terms, now=now)
            or unmet_requirement(
                affiliate, currency=currency, amount=payable[currency], now=now
            ),
            kinds=tuple(
                kind
                for kind, provider in PROVIDERS.items()
                if kind in terms.kinds and provider.takes(currency)
            ),
        )

    return {currency: offer(currency) for currency in payable}


def balances(affiliate_id: int, *, zone: tzinfo = UTC) -> list[Balances]:
    """One for each currency with any earnings, in order of the currency's code.

    The time zone is that of the next day on which a hold ends.
    """
    holds = holds_of(affiliate_id, zone=zone)
    return [
        Balances(
            currency=currency,
            pending=accounts[Account.PENDING],
            held=accounts[Account.HELD],
            payable=accounts[Account.PAYABLE],
            being_paid=accounts[Account.CLEARING],
            paid_out=accounts[Account.PAID_OUT],
            hold=holds.get(currency, Hold()),
        )
        for currency, accounts in sorted(balances_of(affiliate_id).items())
    ]


def export_groups(payout_ids: Sequence[int]) -> list[list[int]]:
    """The approved payouts that are paid in batches, one list per batch."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    rows = Payout.objects.filter(
        pk__in=payout_ids,
        status=PayoutStatus.APPROVED,
        destination__kind__in=codes_of(Way.FILE),
    ).order_by("pk")
    for pk, *file in rows.values_list(
        "pk", "brand_id", "destination__kind", "currency"
    ):
        groups.setdefault(tuple(file), []).append(pk)
    return [
        group[start : start + most]
        for (brand_id, kind, _), group in groups.items()
        for most in [most_in_batch(brand_id, kind)]
        for start in range(0, len(group), most)
    ]


def was_asked_for(payout: Payout) -> bool:
    """Whether the affiliate asked for it: staff or a run have started it otherwise."""
    first = payout.events.order_by("id").first()
    return first is not None and first.actor_id == payout.affiliate.user_id


def last_step(payout: Payout) -> str:
    """Its status and who gave it: "Approved already by clerk@example.com."."""
    if payout.status == PayoutStatus.REQUESTED:
        return "Requested, and not approved yet."
    last = payout.events.select_related("actor").order_by("-id").first()
    by = f" by {last.actor}" if last and last.actor else ""
    return f"{PayoutStatus(payout.status).label} already{by}."


def batch_file(batch: PayoutBatch) -> BatchFile:
    """The file as it was written: the same for each download.

    Raises StateConflict if the key that encrypted it is missing, or if the file is not
    the one that was approved.
    """
    provider = PROVIDERS[batch.kind]
    text = details.decrypt(batch.content)
    if batch.digest and batch.digest != digest_of(text):
        raise StateConflict(
            "file_changed", "The file is not the one that was written: do not send it."
        )
    return BatchFile(
        name=f"payouts-{batch.pk}-{batch.kind}-{batch.currency}.{provider.ending}",
        content_type=provider.content_type,
        text=text,
    )


def digest_of(text: str) -> str:
    """SHA-256 of the file as it is downloaded."""
    return hashlib.sha256(text.encode()).hexdigest()


def grouped(digest: str) -> str:
    """A digest in groups: easier to compare, and a narrow page can wrap it."""
    return " ".join(digest[at : at + 8] for at in range(0, len(digest), 8))
