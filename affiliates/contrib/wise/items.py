"""One transfer: how it is asked for, and what Wise says of it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal, InvalidOperation
from typing import Any
from uuid import UUID, uuid5

from moneyed import get_currency

from affiliates.contrib.wise.provider import (
    ACCOUNTS,
    ADDRESS,
    HOLDER_TYPE,
    PAYOUT_CURRENCY,
    WiseAccount,
)
from affiliates.core.money import decimal_text, from_minor, minor_amount, minor_unit
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.sender import ItemAnswer, ItemState

OURS = UUID("6b1d2f0e-53c1-5d0a-9a39-6f0b8a4c7e21")
WAITING = "incoming_payment_waiting"
FUND_IT = "Waits for you to fund it in Wise"
# What bounced back may still be delivered, and who has charged back money, a person has
# to find out: neither is payable again by itself.
STATES: Mapping[str, ItemState] = {
    WAITING: ItemState.HELD,
    "incoming_payment_initiated": ItemState.PENDING,
    "processing": ItemState.PENDING,
    "funds_converted": ItemState.PENDING,
    "outgoing_payment_sent": ItemState.PAID,
    "waiting_recipient_input_to_proceed": ItemState.HELD,
    "bounced_back": ItemState.HELD,
    "charged_back": ItemState.HELD,
    "cancelled": ItemState.FAILED,
    "funds_refunded": ItemState.RETURNED,
}
OVER = frozenset({ItemState.FAILED, ItemState.RETURNED})
# Between the quote that tells the rate and the one that is paid, the rate may move.
MOST_DRIFT = 100

Parsed = Mapping[str, Any]


def transfer_number(batch: str, transfer: Transfer) -> str:
    """The ``customerTransactionId``: the same for the same payout in the same batch.

    It names the money too, so that no other installation's payout has it. It must never
    change: Wise pays each number once.
    """
    money = f"{transfer.amount} {transfer.currency}"
    account = WiseAccount().account(transfer.details)
    return str(uuid5(OURS, "\n".join([batch, transfer.reference, money, account])))


def payout_currency(transfer: Transfer) -> str:
    return transfer.details[PAYOUT_CURRENCY]


def recipient_of(transfer: Transfer, profile: str) -> Parsed:
    details, account = transfer.details, ACCOUNTS[payout_currency(transfer)]
    address = {
        theirs: details[ours] for ours, theirs in ADDRESS.items() if ours in details
    }
    return {
        "profile": int(profile),
        "accountHolderName": details["account_holder"],
        "currency": payout_currency(transfer),
        "type": account.name,
        "details": {
            "legalType": details[HOLDER_TYPE],
            **{wise: details[name] for name, (wise, _) in account.details.items()},
            **({"address": address} if address else {}),
        },
    }


def text_of(transfer: Transfer) -> str:
    """The longest of our texts that the route allows."""
    most = ACCOUNTS[payout_currency(transfer)].most_text
    texts = (transfer.text, transfer.reference)
    return next((text for text in texts if len(text) <= most), "")


def converted(transfer: Transfer, rate: object) -> int | None:
    """The payout in the recipient's currency, rounded down; None for no readable rate."""
    try:
        exact = from_minor(transfer.amount, transfer.currency).amount * Decimal(
            str(rate)
        )
        unit = minor_unit(get_currency(payout_currency(transfer)))
        return int((exact / unit).to_integral_value(ROUND_DOWN))
    except (InvalidOperation, ValueError, OverflowError):
        return None


def number_for(amount: int, currency: str) -> float:
    return float(decimal_text(amount, currency))


def amount_in(content: Parsed, name: str, currency: str) -> int | None:
    return minor_amount(str(content.get(name)), currency)


def read_item(content: Parsed, transfer: Transfer) -> ItemAnswer:
    """The answer about a payout, of a transfer that has its number.

    A word that is not known says nothing. Money of another amount counts as unreadable.
    """
    word = str(content.get("status"))
    state = STATES.get(word, ItemState.PENDING)
    target = payout_currency(transfer)
    is_converted = target != transfer.currency
    received = amount_in(content, "targetValue", target) if is_converted else None
    if word == WAITING:
        detail = f"{FUND_IT}."
    else:
        detail = "" if state is ItemState.PAID else f"Wise: {word}."
    return ItemAnswer(
        reference=transfer.reference,
        state=state,
        amount=_amount(content, transfer, state),
        currency=transfer.currency,
        detail=detail,
        remote_ref=str(content.get("id") or ""),
        received=received,
        received_currency="" if received is None else target,
    )


def refused_item(transfer: Transfer, why: str) -> ItemAnswer:
    """The answer about a payout that is in no transfer, and never will be."""
    return ItemAnswer(
        reference=transfer.reference,
        state=ItemState.FAILED,
        amount=transfer.amount,
        currency=transfer.currency,
        detail=why,
    )


def _amount(content: Parsed, transfer: Transfer, state: ItemState) -> int | None:
    """The payout's own amount, if Wise states it or what it is worth by its rate."""
    target = payout_currency(transfer)
    currencies = (content.get("sourceCurrency"), content.get("targetCurrency"))
    if currencies != (transfer.currency, target):
        return None
    if target == transfer.currency:
        return amount_in(content, "targetValue", target)
    stated = amount_in(content, "sourceValue", transfer.currency)
    # Wise states 0 for what it has not taken, or has given back.
    if stated is None or (stated == 0 and state in OVER):
        return None if stated is None else transfer.amount
    drift = max(2, transfer.amount // MOST_DRIFT)
    return transfer.amount if abs(stated - transfer.amount) <= drift else stated
