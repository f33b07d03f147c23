"""One step of an order's story."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from affiliates.core.enums import LabelledEnum


class EventKind(LabelledEnum):
    VISIT = "visit", "Visit"
    SIGNUP = "signup", "Signup"
    CONVERSION = "conversion", "Conversion"
    PAYMENT = "payment", "Payment"
    SALE = "sale", "Sale"
    SALE_HELD = "sale_held", "Sale"
    NO_SALE = "no_sale", "No sale"
    REFUND = "refund", "Refund"
    CHARGEBACK = "chargeback", "Chargeback"
    EARNED = "earned", "Commission earned"
    COMMISSION = "commission", "Commission"
    COMMISSION_HELD = "commission_held", "Commission held"
    COMMISSION_APPROVED = "commission_approved", "Commission approved"
    COMMISSION_PAID = "commission_paid", "Commission paid"
    COMMISSION_REJECTED = "commission_rejected", "Commission rejected"
    COMMISSION_LOST = "commission_lost", "Commission taken back"
    NO_COMMISSION = "no_commission", "No commission"
    ASSIGNED = "assigned", "Staff's assignment"
    TOLD = "told", "Tracking integration"
    NOT_TOLD = "not_told", "Tracking integration"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One step of an order's story, in plain words."""

    at: datetime
    kind: EventKind
    text: str

    @property
    def title(self) -> str:
        return self.kind.label
