"""One item of a batch, as PayPal describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from affiliates.core.money import minor_amount
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.sender import ItemAnswer, ItemState

# What is blocked or on hold may still be paid: it is looked up until it is decided.
STATES: Mapping[str, ItemState] = {
    "SUCCESS": ItemState.PAID,
    "PENDING": ItemState.PENDING,
    "NEW": ItemState.PENDING,
    "UNCLAIMED": ItemState.HELD,
    "ONHOLD": ItemState.HELD,
    "BLOCKED": ItemState.HELD,
    "FAILED": ItemState.FAILED,
    "DENIED": ItemState.FAILED,
    "RETURNED": ItemState.RETURNED,
    "REFUNDED": ItemState.RETURNED,
    "REVERSED": ItemState.RETURNED,
}


def read_item(
    item: Mapping[str, Any], transfers: Mapping[str, Transfer]
) -> ItemAnswer | None:
    """The item's answer; None for an item that is not of this batch.

    An amount that went to another address than ours counts as unreadable.
    """
    sent = _dict(item, "payout_item")
    transfer = transfers.get(str(sent.get("sender_item_id")))
    state = STATES.get(str(item.get("transaction_status")))
    if transfer is None or state is None:
        return None
    value, currency = _money(sent, "amount")
    is_ours = (
        str(sent.get("receiver")).casefold() == transfer.details["email"].casefold()
    )
    fee, fee_currency = _money(item, "payout_item_fee")
    got, got_currency = _money(_dict(item, "currency_conversion"), "to_amount")
    received = minor_amount(got, got_currency)
    return ItemAnswer(
        reference=transfer.reference,
        state=state,
        amount=minor_amount(value, currency) if is_ours else None,
        currency=currency,
        detail=_detail(item),
        remote_ref=str(item.get("transaction_id") or item.get("payout_item_id") or ""),
        fee=f"{fee} {fee_currency}".strip(),
        received=received,
        received_currency="" if received is None else got_currency,
    )


def refused_item(transfer: Transfer, status: str) -> ItemAnswer:
    """The answer about a payout of a batch that PayPal has refused as a whole."""
    return ItemAnswer(
        reference=transfer.reference,
        state=ItemState.FAILED,
        amount=transfer.amount,
        currency=transfer.currency,
        detail=f"PayPal: the batch is {status}.",
    )


def _detail(item: Mapping[str, Any]) -> str:
    """Its state and the reason; "" once it is paid."""
    status = str(item.get("transaction_status"))
    if status == "SUCCESS":
        return ""
    message = str(_dict(item, "errors").get("message") or "")
    return f"PayPal: {status}. {message}".rstrip()


def _money(content: Mapping[str, Any], name: str) -> tuple[str, str]:
    amount = _dict(content, name)
    return str(amount.get("value") or ""), str(amount.get("currency") or "")


def _dict(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = content.get(name)
    return value if isinstance(value, dict) else {}
