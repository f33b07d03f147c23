"""The e-mails about an affiliate's account: its credentials, its transfer, its end."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from affiliates.contracts import CredentialsChanged
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, day, moment, money
from affiliates.membership.rules import BalanceEnd, Unpaid
from affiliates.program.history_models import AffiliateDeparture, AffiliateTransfer
from affiliates.program.models import Affiliate


def notify_of_change(
    affiliate: Affiliate,
    event: CredentialsChanged,
    *,
    recipient: str,
    keys: int,
    paid_from: datetime | None,
    now: datetime,
) -> None:
    """To the address of this moment, and to the former one of a changed address.

    The next change of the address, before this is sent, does not redirect it.
    """
    values = {
        "change": event.change,
        "at": moment(now),
        "is_by_staff": event.is_by_staff,
        "keys": keys,
        "paid_from": moment(paid_from) if paid_from and paid_from > now else "",
    }
    recipients = {"client": recipient}
    if event.former_email:
        recipients["former"] = event.former_email
    news = [
        News(
            kind=EmailKind.CREDENTIALS_CHANGED,
            brand_id=affiliate.brand_id,
            affiliate_id=affiliate.pk,
            fact=f"{affiliate.pk}:{event.change}:{now.isoformat()}:{role}",
            values=values,
            recipient=address,
        )
        for role, address in recipients.items()
    ]
    notify_affiliates(news, now=now)


def notify_of_transfer(transfer: AffiliateTransfer, *, now: datetime) -> None:
    """Notifies the source of the transfer, which did not ask for it."""
    balance: dict[str, int] = transfer.given.get("balance", {})
    news = News(
        kind=EmailKind.TRANSFERRED,
        brand_id=transfer.source.brand_id,
        affiliate_id=transfer.source_id,
        fact=str(transfer.pk),
        values={
            "target": transfer.target.code,
            "at": moment(now),
            "reason": transfer.reason,
            "amounts": [money(value, currency) for currency, value in balance.items()],
            "is_merged": "merged" in transfer.given,
        },
    )
    notify_affiliates([news], now=now)


def notify_of_departure(
    departure: AffiliateDeparture,
    ends: Iterable[tuple[Unpaid, BalanceEnd]],
    *,
    now: datetime,
) -> None:
    """Confirms that it has left, and what becomes of its balances."""
    by_end: dict[str, list[dict[str, object]]] = {}
    matures = None
    for unpaid, end in ends:
        amount = money(abs(unpaid.total), unpaid.currency)
        by_end.setdefault(end, []).append(amount)
        if end is BalanceEnd.PAID and unpaid.matures is not None:
            matures = max(unpaid.matures, matures or unpaid.matures)
    news = News(
        kind=EmailKind.LEFT,
        brand_id=departure.affiliate.brand_id,
        affiliate_id=departure.affiliate_id,
        fact=str(departure.pk),
        values={
            "at": moment(now),
            "paid": by_end.get(BalanceEnd.PAID, []),
            "given_up": by_end.get(BalanceEnd.GIVEN_UP, []),
            "forfeited": by_end.get(BalanceEnd.FORFEITED, []),
            "owed": by_end.get(BalanceEnd.OWED, []),
            "matures": day(matures) if matures else "",
        },
    )
    notify_affiliates([news], now=now)
