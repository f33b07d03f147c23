"""One step of an order's story."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import NamedTuple


class EventKind(Enum):
    """Each with its title, its icon and its tone."""

    VISIT = "Visit", "ads_click", ""
    SIGNUP = "Signup", "person_add", ""
    CONVERSION = "Conversion", "receipt_long", ""
    PAYMENT = "Payment", "payments", ""
    SALE = "Sale", "sell", "good"
    SALE_HELD = "Sale", "pause", ""
    NO_SALE = "No sale", "block", "bad"
    REFUND = "Refund", "undo", "bad"
    CHARGEBACK = "Chargeback", "gavel", "bad"
    CANCELLED = "Refund cancelled", "redo", "good"
    EARNED = "Commission earned", "savings", "good"
    COMMISSION = "Commission", "savings", ""
    COMMISSION_HELD = "Commission held", "pause", ""
    COMMISSION_APPROVED = "Commission approved", "check", "good"
    COMMISSION_PAID = "Commission paid", "account_balance", "good"
    COMMISSION_REJECTED = "Commission rejected", "block", "bad"
    COMMISSION_LOST = "Commission taken back", "money_off", "bad"
    NO_COMMISSION = "No commission", "block", ""
    ASSIGNED = "Staff's assignment", "assignment_ind", ""
    SENT = "Tracking integration", "outbox", ""
    NOT_SENT = "Tracking integration", "outbox", "bad"


class TimelineEvent(NamedTuple):
    """One step of an order's story, in plain words."""

    at: datetime
    kind: EventKind
    text: str

    @property
    def title(self) -> str:
        return self.kind.value[0]
