"""What an e-mail tells, as plain values that are kept until it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from affiliates.core.enums import LabelledEnum


class EmailKind(LabelledEnum):
    """``affiliates.emails.kinds`` says of each when it is sent, and to whom."""

    APPLIED = "applied", "Applied"
    APPROVED = "approved", "Approved"
    DECLINED = "declined", "Declined"
    FIRST_REFERRAL = "first_referral", "First referral"
    SALE = "sale", "Sale"
    COMMISSION_APPROVED = "commission_approved", "Commission approved"
    REVERSAL = "reversal", "Reversal"
    PAYOUT_REQUESTED = "payout_requested", "Payout requested"
    PAID = "paid", "Payout paid"
    PAYOUT_REJECTED = "payout_rejected", "Payout rejected"
    DESTINATION_CHANGED = "destination_changed", "Destination changed"
    CLAIM_ANSWERED = "claim_answered", "Claim answered"
    MONTHLY_SUMMARY = "monthly_summary", "Monthly summary"
    STAFF_APPLICATION = "staff_application", "To staff: application"
    STAFF_PAYOUT = "staff_payout", "To staff: payout request"
    STAFF_CLAIM = "staff_claim", "To staff: missing sale"
    STAFF_INTEGRATION = "staff_integration", "To staff: integration down"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """A fact that an affiliate is to read of.

    ``fact`` tells it from every other of its kind, without anything personal: it is
    queued once. ``recipient`` is only given where it is not the client's own address.
    """

    kind: EmailKind
    brand_id: int
    affiliate_id: int
    fact: str
    values: Mapping[str, Any] = field(default_factory=dict)
    recipient: str = ""


def money(amount: int, currency: str) -> dict[str, Any]:
    """Minor units, which the e-mail writes as its language does."""
    return {"amount": amount, "currency": currency}


def moment(at: datetime) -> dict[str, str]:
    """Written in the time zone of whoever reads it."""
    return {"moment": at.isoformat()}


def named(word: str, hint: str) -> dict[str, str]:
    """An English word of the catalogue, said in the e-mail's language, and a hint."""
    return {"word": word, "hint": hint}


def month(first: date) -> dict[str, str]:
    return {"month": first.isoformat()}
