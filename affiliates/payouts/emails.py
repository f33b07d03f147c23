"""E-mails about payouts: to affiliates, and warnings of a changed destination."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import translation

from affiliates.adapter import get_adapter
from affiliates.emails.services import notify_affiliates, notify_staff
from affiliates.emails.types import EmailKind, News, moment, money, named
from affiliates.errors import StateConflict
from affiliates.payouts import details
from affiliates.payouts.models import Payout, PayoutDestination
from affiliates.payouts.providers.registry import PROVIDERS, label_of
from affiliates.payouts.rules import PayoutStatus

_STEPS = {
    PayoutStatus.REQUESTED: EmailKind.PAYOUT_REQUESTED,
    PayoutStatus.PAID: EmailKind.PAID,
    PayoutStatus.REJECTED: EmailKind.PAYOUT_REJECTED,
    PayoutStatus.RETURNED: EmailKind.PAYOUT_RETURNED,
}


def tell_of_payout(payout: Payout, *, actor_id: Any, now: datetime) -> None:
    """Notifies of the payout's step; of a request only if the affiliate made it."""
    status = PayoutStatus(payout.status)
    kind = _STEPS.get(status)
    is_own = actor_id == payout.affiliate.user_id
    if kind is None or (status is PayoutStatus.REQUESTED and not is_own):
        return
    news = News(
        kind=kind,
        brand_id=payout.brand_id,
        affiliate_id=payout.affiliate_id,
        fact=str(payout.pk),
        values={
            "payout": payout.pk,
            "amount": money(payout.amount, payout.currency),
            "destination": _named(payout.destination),
            "reason": payout.reason,
        },
    )
    notify_affiliates([news], now=now)
    if status is PayoutStatus.REQUESTED:
        notify_staff(
            EmailKind.STAFF_PAYOUT,
            brand_id=payout.brand_id,
            fact=str(payout.pk),
            values={**news.values, "affiliate": payout.affiliate.code},
            now=now,
        )


def enqueue_destination_changed(
    destination: PayoutDestination, *, now: datetime
) -> None:
    """Notifies the client and the address paid before, in separate e-mails."""
    before = (
        PayoutDestination.objects.filter(
            affiliate_id=destination.affiliate_id, pk__lt=destination.pk
        )
        .order_by("-id")
        .first()
    )
    kind, values = EmailKind.DESTINATION_SET, {"destination": _named(destination)}
    if before is not None:
        kind = EmailKind.DESTINATION_CHANGED
        values |= {
            "before": _named(before),
            "usable_from": moment(destination.paid_from),
        }
    news = [
        News(
            kind=kind,
            brand_id=destination.affiliate.brand_id,
            affiliate_id=destination.affiliate_id,
            fact=f"{destination.pk}:{role}",
            values=values,
            recipient=address,
        )
        for role, address in _recipients(destination, before).items()
    ]
    notify_affiliates(news, now=now)


def _named(destination: PayoutDestination) -> Mapping[str, str]:
    # Stored in English: the e-mail translates it.
    with translation.override(None):
        kind = str(label_of(destination.kind))
    return named(kind, destination.hint)


def _recipients(
    destination: PayoutDestination, before: PayoutDestination | None
) -> Mapping[str, str]:
    client = get_adapter().get_client(str(destination.affiliate.user_id))
    recipients = {"client": client.email} if client and client.email else {}
    former = _former_address(before)
    if former and former not in recipients.values():
        recipients["former"] = former
    return recipients


def _former_address(before: PayoutDestination | None) -> str:
    """The address if it was paid before: else e-mails could flood any address."""
    provider = PROVIDERS.get(before.kind) if before else None
    if before is None or provider is None:
        return ""
    try:
        known = details.ACCOUNTS.open(before.details)
    except StateConflict:
        return ""
    address = provider.email(known)
    if not address:
        return ""
    was_paid_to = Payout.objects.filter(
        affiliate_id=before.affiliate_id,
        destination__kind=before.kind,
        destination__fingerprint__in=details.fingerprints_of(before.kind, known),
        status=PayoutStatus.PAID,
    )
    return address if was_paid_to.exists() else ""
