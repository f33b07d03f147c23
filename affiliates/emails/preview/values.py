"""Example values of each kind of e-mail, as the code that queues it gives them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from affiliates.emails.types import EmailKind, day, moment, money, month, named

EUR = money(12_50, "EUR")
PAYPAL = named("PayPal", "a…@example.org")
CLAIM = "0199f0c4-8a52-7c3e-9d41-6f0b2a7e5c18"
SALE: Mapping[str, Any] = {
    "order": "ORDER-1042",
    "invoice": "INVOICE-1042",
    "net": money(125_00, "EUR"),
}
COMMISSION: Mapping[str, Any] = {**SALE, "commission_id": 1042}
SAMPLES: Mapping[EmailKind, Mapping[str, Any]] = {
    EmailKind.APPROVED: {"code": "ada", "url": "https://shop.example.com/?ref=ada"},
    EmailKind.DECLINED: {"reason": "Your site sells what we do not allow."},
    EmailKind.SALE: {**SALE, "order_id": 1042, "commission": EUR},
    EmailKind.COMMISSION_APPROVED: {**COMMISSION, "left": EUR},
    EmailKind.REVERSAL: {
        **COMMISSION,
        "reason": "refund",
        "said": "",
        "taken": EUR,
        "left": money(0, "EUR"),
    },
    EmailKind.RESTORATION: {**COMMISSION, "given_back": EUR, "left": EUR},
    EmailKind.DIGEST: {
        "since": day(datetime(2026, 3, 1, 12, tzinfo=UTC)),
        "earned": [EUR],
        "news": [
            {
                "kind": "sale",
                "count": 6,
                "net": money(125_00, "EUR"),
                "commission": EUR,
            },
            {"kind": "commission_approved", "count": 4, "left": EUR},
            {"kind": "reversal", "count": 1, "taken": money(2_50, "EUR")},
            {"kind": "restoration", "count": 1, "given_back": EUR},
        ],
    },
    EmailKind.LEFT: {
        "at": moment(datetime(2026, 3, 1, 12, tzinfo=UTC)),
        "paid": [EUR],
        "given_up": [],
        "forfeited": [],
        "owed": [],
        "matures": day(datetime(2026, 3, 31, 12, tzinfo=UTC)),
    },
    EmailKind.PAYOUT_REQUESTED: {"payout": 17, "amount": EUR, "destination": PAYPAL},
    EmailKind.PAID: {"payout": 17, "amount": EUR, "destination": PAYPAL},
    EmailKind.PAYOUT_REJECTED: {
        "payout": 17,
        "amount": EUR,
        "reason": "The account does not exist.",
    },
    EmailKind.PAYOUT_RETURNED: {
        "payout": 17,
        "amount": EUR,
        "destination": PAYPAL,
        "reason": "AC04 Account closed",
    },
    EmailKind.INVOICE_NEEDED: {
        "payout": 17,
        "amount": EUR,
        "reason": "The address of our company is missing.",
    },
    EmailKind.DESTINATION_SET: {"destination": PAYPAL},
    EmailKind.DESTINATION_CHANGED: {
        "before": PAYPAL,
        "destination": named("Bank transfer (SEPA)", "DE… 3000"),
        "usable_from": moment(datetime(2026, 3, 8, 12, tzinfo=UTC)),
    },
    EmailKind.CREDENTIALS_CHANGED: {
        "change": "email",
        "at": moment(datetime(2026, 3, 1, 12, tzinfo=UTC)),
        "is_by_staff": True,
        "keys": 2,
        "paid_from": moment(datetime(2026, 3, 8, 12, tzinfo=UTC)),
    },
    EmailKind.TRANSFERRED: {
        "target": "grace",
        "at": moment(datetime(2026, 3, 1, 12, tzinfo=UTC)),
        "reason": "Both accounts are yours.",
        "amounts": [EUR],
        "is_merged": True,
    },
    EmailKind.CLAIM_ANSWERED: {
        "claim_id": CLAIM,
        "claim": "ORDER-1042",
        "is_granted": True,
        "answer": "It is yours now.",
    },
    EmailKind.MONTHLY_SUMMARY: {
        "month": month(date(2026, 2, 1)),
        "first": "2026-02-01",
        "last": "2026-02-28",
        "earned": [EUR],
        "clicks": 420,
        "signups": 12,
        "orders": 7,
        "sales": 6,
        "amounts": [{"revenue": money(750_00, "EUR"), "commission": EUR}],
    },
    EmailKind.ANNOUNCEMENT: {
        "subject": "New banners",
        "parts": [{"text": "New banners are in your area.", "url": ""}],
    },
    EmailKind.STAFF_APPLICATION: {
        "affiliate_id": 17,
        "affiliate": "ada",
        "client": "ada@example.org",
    },
    EmailKind.STAFF_PAYOUT: {"affiliate": "ada", "payout": 17, "amount": EUR},
    EmailKind.STAFF_CLAIM: {
        "claim_id": CLAIM,
        "affiliate": "ada",
        "claim": "ORDER-1042",
        "note": "It was by my link.",
    },
    EmailKind.STAFF_INTEGRATION: {
        "integration_id": 17,
        "model": "trackingintegration",
        "integration": "Post Affiliate Pro",
        "failures": 42,
        "reason": "HTTP 503.",
    },
}
