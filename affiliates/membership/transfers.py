"""Transfers what an affiliate has to another of the brand, for future orders.

Decided orders stay as they are, and their further earnings stay with the affiliate
they were credited to. Money moves only by postings: a deduction and a bonus.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import TextChoices

from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.commissions.services.locks import lock_affiliates
from affiliates.db.seals import reseal
from affiliates.errors import InvalidInput, NotAllowed, required_text
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.membership.emails import notify_of_transfer
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.services import publish_coupon
from affiliates.program.history_models import MAX_REASON, AffiliateTransfer
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.selectors import owned_by
from affiliates.program.services import give_links, merge_into
from affiliates.referrals.models import ClientReferral

AT_ONCE = 500


class TransferPart(TextChoices):
    CLIENTS = "clients", "Clients: their future orders"
    LINKS = "links", "Links: future visits by them"
    COUPONS = "coupons", "Coupon codes: future orders that name them"
    BALANCE = "balance", "The payable balance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Staff's request; ``merges`` ends the source: its links lead to the target.

    ``client_id``: only this one of the clients.
    """

    source_id: int
    target_id: int
    parts: Collection[TransferPart]
    merges: bool
    reason: str
    key: UUID
    client_id: Any = None


@transaction.atomic
def transfer(wanted: Transfer, *, actor_id: Any, now: datetime) -> AffiliateTransfer:
    """Transfers once per key. A later key transfers what the source got since.

    The source is notified by e-mail.

    Raises InvalidInput for affiliates of two brands, one that is not active and an
    invalid reason; NotAllowed for staff who would transfer to themselves.
    """
    reason = required_text(wanted.reason, field="reason", most=MAX_REASON)
    lock_affiliates([wanted.source_id, wanted.target_id])
    done = AffiliateTransfer.objects.filter(key=wanted.key).first()
    if done is not None:
        return done
    source, target = _pair(wanted, actor_id=actor_id)
    values: dict[str, Any] = {}
    if TransferPart.CLIENTS in wanted.parts:
        values["clients"] = _give_clients(source, target, wanted.client_id)
    if TransferPart.LINKS in wanted.parts:
        values["links"] = give_links(source_id=source.pk, target_id=target.pk)
    if TransferPart.COUPONS in wanted.parts:
        values["coupons"] = _give_coupons(source, target, now=now)
    if TransferPart.BALANCE in wanted.parts:
        values["balance"] = _give_balance(
            source, target, wanted, reason=reason, actor_id=actor_id, now=now
        )
    if wanted.merges:
        values["merged"] = True
        merge_into(source_id=source.pk, target_id=target.pk)
    done = AffiliateTransfer.objects.create(
        source=source,
        target=target,
        key=wanted.key,
        reason=reason,
        given=values,
        actor_id=actor_id,
        at=now,
    )
    notify_of_transfer(done, now=now)
    return done


def clients_to_give(source: Affiliate, target: Affiliate) -> Any:
    """The source's clients, except the target itself: nobody is their own client."""
    bound = ClientReferral.objects.filter(owned_by(source.pk))
    return bound.exclude(client_id=target.user_id)


def payable_of(affiliate: Affiliate) -> dict[str, int]:
    """Payable balances by currency, also below zero: a debt moves as well."""
    return {
        currency: accounts[Account.PAYABLE]
        for currency, accounts in sorted(balances_of(affiliate.pk).items())
        if accounts[Account.PAYABLE]
    }


def _pair(wanted: Transfer, *, actor_id: Any) -> tuple[Affiliate, Affiliate]:
    affiliates = Affiliate.objects.in_bulk([wanted.source_id, wanted.target_id])
    source, target = affiliates.get(wanted.source_id), affiliates.get(wanted.target_id)
    if (
        source is None
        or target is None
        or source == target
        or source.brand_id != target.brand_id
        or target.status != AffiliateStatus.ACTIVE
    ):
        raise InvalidInput(
            "invalid_target",
            "Choose another affiliate of this brand, who is active.",
            field="code",
        )
    if actor_id in (source.user_id, target.user_id):
        raise NotAllowed("own_balance", "Nobody gives to themselves.")
    return source, target


def _give_clients(source: Affiliate, target: Affiliate, client_id: Any) -> int:
    """Raises InvalidInput if the one client that was asked for cannot be given."""
    clients = clients_to_give(source, target)
    if client_id is not None:
        clients = clients.filter(client_id=client_id)
    bindings = list(clients)
    if client_id is not None and not bindings:
        raise InvalidInput(
            "invalid_client",
            "The client is the other affiliate, or no longer bound to this one.",
            field="code",
        )
    for client in bindings:
        client.affiliate_id = target.pk
        reseal(client)
    return int(
        ClientReferral.objects.bulk_update(
            bindings, ["affiliate", "seal"], batch_size=AT_ONCE
        )
    )


def _give_coupons(source: Affiliate, target: Affiliate, *, now: datetime) -> int:
    coupons = list(CouponCode.objects.filter(owned_by(source.pk)).order_by("pk"))
    for coupon in coupons:
        coupon.affiliate = target
        coupon.save(update_fields=["affiliate"])
        publish_coupon(coupon, now=now)
    return len(coupons)


def _give_balance(
    source: Affiliate,
    target: Affiliate,
    wanted: Transfer,
    *,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> dict[str, int]:
    moved = payable_of(source)
    pairs = [
        NewAdjustment(
            affiliate_id=affiliate.pk,
            currency=currency,
            amount=amount,
            reason=f"{source} to {target}: {reason}",
            key=f"transfer:{wanted.key}:{currency}:{affiliate.pk}",
        )
        for currency, payable in moved.items()
        for affiliate, amount in ((source, -payable), (target, payable))
    ]
    if pairs:
        adjust(pairs, brand_id=source.brand_id, actor_id=actor_id, now=now)
    return moved
