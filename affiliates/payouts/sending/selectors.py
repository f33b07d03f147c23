"""What pages say of a batch that is sent, and of each payout in it."""

from __future__ import annotations

from affiliates.admin_tools.columns import moment, money_text
from affiliates.outbox.queue.rules import QueueState
from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.payouts.providers.references import payout_reference
from affiliates.payouts.sending_models import PayoutSending


def sending_of(batch: PayoutBatch) -> PayoutSending | None:
    """None for a file."""
    sending: PayoutSending | None = getattr(batch, "sending", None)
    return sending


def can_be_asked(sending: PayoutSending | None) -> bool:
    """Whether the provider can be asked: its payouts were not given back."""
    if sending is None:
        return False
    return sending.remote_id != "" or sending.state not in (
        QueueState.NOT_SENT,
        QueueState.FAILED,
    )


def waits_for_person(sending: PayoutSending | None) -> bool:
    """Whether nobody knows if it was sent, and nothing more is tried."""
    if sending is None or sending.remote_id:
        return False
    return sending.state == QueueState.UNCLEAR and sending.next_at is None


def account_of(batch: PayoutBatch) -> str:
    sending = sending_of(batch)
    return str(sending.account) if sending else ""


def number_of(batch: PayoutBatch) -> str:
    sending = sending_of(batch)
    return sending.remote_id if sending else ""


def state_of(batch: PayoutBatch) -> str:
    """Its state, the reason, and the next try."""
    sending = sending_of(batch)
    if sending is None:
        return ""
    is_known = sending.remote_id and sending.state == QueueState.UNCLEAR
    state = "Sent, and not wholly decided" if is_known else sending.get_state_display()
    if sending.account.held_since and sending.next_at and not sending.remote_id:
        state = "Held: the database was restored, see the account"
    parts = [f"{state}.", sending.detail]
    if sending.next_at:
        parts.append(f"Next attempt: {moment(sending.next_at)}.")
    return " ".join(filter(None, parts))


def said_of(payout: Payout) -> str:
    """The provider's last words on the payout, its fee, and what was not booked."""
    sending = sending_of(payout.batch) if payout.batch else None
    result = sending.results.get(payout_reference(payout.pk)) if sending else None
    if not result:
        return "-"
    said = result["detail"] or result["state"].capitalize() + "."
    got = received_text(result.get("received"), result.get("received_currency", ""))
    received = f"Paid as {got}." if got else ""
    fee = f"Fee {result['fee']}." if result["fee"] else ""
    return " ".join(filter(None, [said, received, fee, result["problem"]]))


def received_text(amount: int | None, currency: str) -> str:
    """What the recipient got in another currency; "" if nothing was converted."""
    return "" if amount is None else money_text(amount, currency)
