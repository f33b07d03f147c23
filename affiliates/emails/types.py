"""The content of an e-mail as plain values, kept until it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class EmailKind(TextChoices):
    """``affiliates.emails.kinds`` says when each is sent, and to whom."""

    APPLIED = "applied", _("Application received")
    APPROVED = "approved", _("Application approved")
    DECLINED = "declined", _("Application declined")
    LEFT = "left", _("Left the program")
    FIRST_REFERRAL = "first_referral", _("First referral")
    SALE = "sale", _("Sale")
    COMMISSION_APPROVED = "commission_approved", _("Commission approved")
    REVERSAL = "reversal", _("Reversal")
    RESTORATION = "restoration", _("Restoration")
    DIGEST = "digest", _("Digest")
    PAYOUT_REQUESTED = "payout_requested", _("Payout requested")
    PAID = "paid", _("Payout paid")
    PAYOUT_REJECTED = "payout_rejected", _("Payout rejected")
    PAYOUT_RETURNED = "payout_returned", _("Payout returned")
    INVOICE_NEEDED = "invoice_needed", _("Invoice needed")
    DESTINATION_SET = "destination_set", _("Destination set")
    DESTINATION_CHANGED = "destination_changed", _("Destination changed")
    CREDENTIALS_CHANGED = "credentials_changed", _("Credentials changed")
    TRANSFERRED = "transferred", _("Transferred")
    CLAIM_ANSWERED = "claim_answered", _("Claim answered")
    MONTHLY_SUMMARY = "monthly_summary", _("Monthly summary")
    ANNOUNCEMENT = "announcement", _("Announcement")
    STAFF_APPLICATION = "staff_application", "To staff: application"
    STAFF_PAYOUT = "staff_payout", "To staff: payout request"
    STAFF_CLAIM = "staff_claim", "To staff: missing sale"
    STAFF_INTEGRATION = "staff_integration", "To staff: integration down"


class EmailDelivery(TextChoices):
    """When an affiliate gets the e-mails of a kind."""

    AT_ONCE = "at_once", _("Each at once")
    DAILY = "daily", _("Together, once a day")
    WEEKLY = "weekly", _("Together, once a week")
    NEVER = "never", _("Never")

    @property
    def is_digest(self) -> bool:
        return self in (EmailDelivery.DAILY, EmailDelivery.WEEKLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """A fact to notify an affiliate of.

    ``fact`` identifies it among its kind, without personal data: it is queued once.
    ``recipient`` is only given if it is not the client's own address.
    """

    kind: EmailKind
    brand_id: int
    affiliate_id: int
    fact: str
    values: Mapping[str, Any] = field(default_factory=dict)
    recipient: str = ""


def money(amount: int, currency: str) -> dict[str, Any]:
    """An amount in minor units, formatted in the e-mail's language."""
    return {"amount": amount, "currency": currency}


def moment(at: datetime) -> dict[str, str]:
    """A moment, formatted in the recipient's time zone."""
    return {"moment": at.isoformat()}


def day(at: datetime) -> dict[str, str]:
    """The day of a moment in the recipient's time zone."""
    return {"day": at.isoformat()}


def named(word: str, hint: str) -> dict[str, str]:
    """A word of the catalogue, translated into the e-mail's language, and a hint."""
    return {"word": word, "hint": hint}


def in_languages(text: Any, translations: Mapping[str, Any]) -> dict[str, Any]:
    """A text in the site's language, and its translations by language."""
    return {"text": text, "translations": dict(translations)}


def month(first: date) -> dict[str, str]:
    return {"month": first.isoformat()}
