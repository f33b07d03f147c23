"""Account credit: what a client has with us. Entries are added, never changed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Sum
from moneyed import CurrencyDoesNotExist, Money, get_currency

from affiliates.errors import InvalidInput, StateConflict
from affiliates.extending import insert_once
from portal.clients.models import MAX_REASON_LENGTH, User, WalletEntry
from portal.ids import require_row
from portal.money import from_minor_units, is_payable, to_minor_units

MAX_CREDIT = 10**12
RECENT_ENTRIES = 50


@transaction.atomic
def add_credit(
    *, client_id: UUID, amount: Money, reason: str, reference: str, now: datetime
) -> WalletEntry:
    """Add to the client's account credit. The same reference again adds nothing.

    Raises NotFound, InvalidInput, or StateConflict when the reference belongs to
    something else.
    """
    _check_amount(amount)
    if not reason.strip() or len(reason) > MAX_REASON_LENGTH:
        raise InvalidInput("invalid", "Say why.", field="reason")
    _lock_client(client_id)
    return _insert_once(
        WalletEntry(
            client_id=client_id,
            amount=to_minor_units(amount),
            currency=amount.currency.code,
            reason=reason.strip(),
            reference=reference,
            created_at=now,
        )
    )


@transaction.atomic
def spend_credit(
    *, client_id: UUID, amount: Money, reason: str, reference: str, now: datetime
) -> None:
    """Take from the client's account credit; it never falls below zero.

    Raises StateConflict ``insufficient_credit``.
    """
    _lock_client(client_id)
    if balance_of(client_id, currency=amount.currency.code) < amount:
        raise StateConflict(
            "insufficient_credit", "Your account credit does not cover this invoice."
        )
    if amount.amount == 0:
        return
    _insert_once(
        WalletEntry(
            client_id=client_id,
            amount=-to_minor_units(amount),
            currency=amount.currency.code,
            reason=reason,
            reference=reference,
            created_at=now,
        )
    )


def balance_of(client_id: UUID, *, currency: str) -> Money:
    entries = WalletEntry.objects.filter(client=client_id, currency=currency)
    total = entries.aggregate(total=Sum("amount"))["total"]
    return from_minor_units(total or 0, currency)


def balances_of(client_id: UUID) -> list[Money]:
    """The client's account credit in each currency it ever had."""
    totals = (
        WalletEntry.objects.filter(client=client_id)
        .order_by("currency")
        .values_list("currency")
        .annotate(total=Sum("amount"))
    )
    return [from_minor_units(total, currency) for currency, total in totals]


def recent_entries_of(client_id: UUID) -> Iterable[WalletEntry]:
    return WalletEntry.objects.filter(client=client_id)[:RECENT_ENTRIES]


def read_amount(amount: object, currency: str) -> Money:
    """Returns the typed amount. Raises InvalidInput for an unknown currency."""
    try:
        return Money(amount, get_currency(currency.upper()))
    except CurrencyDoesNotExist as error:
        raise InvalidInput("invalid", "No such currency.", field="currency") from error


def _check_amount(amount: Money) -> None:
    if not 0 < amount.amount <= MAX_CREDIT or not is_payable(amount):
        raise InvalidInput(
            "invalid", "Name an amount above zero that can be paid.", field="amount"
        )


def _lock_client(client_id: UUID) -> None:
    """One at a time: two who spend at once must not both see the whole balance.

    Rows that only name the client need not wait, nor be waited for.
    """
    clients = User.objects.select_for_update(no_key=True).filter(brand__isnull=False)
    require_row(clients.filter(pk=client_id))


def _insert_once(entry: WalletEntry) -> WalletEntry:
    if insert_once(entry):
        return entry
    earlier = WalletEntry.objects.filter(
        reference=entry.reference,
        client=entry.client_id,
        amount=entry.amount,
        currency=entry.currency,
    ).first()
    if earlier is None:
        raise StateConflict(
            "reference_used", "This reference belongs to another entry."
        )
    return earlier
