"""PayPal's side of payouts: its batches, and what becomes of each item with time."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DAY_S = 86_400
CLAIM_DAYS = 30
TOKEN_BYTES = 12
# The beginning of a recipient's address decides.
FATES: Mapping[str, str] = {
    "unclaimed": "UNCLAIMED",
    "failed": "FAILED",
    "denied": "DENIED",
    "onhold": "ONHOLD",
    "blocked": "BLOCKED",
    "returned": "RETURNED",
    "reversed": "REVERSED",
}


@dataclass(slots=True, kw_only=True)
class Item:
    id: str
    sent: Mapping[str, Any]
    created_at: float

    @property
    def transaction_id(self) -> str:
        return f"T{self.id}"

    def status(self, *, now: float, settles_after: float) -> str:
        age = now - self.created_at
        name = str(self.sent.get("receiver")).partition("@")[0]
        fate = next((FATES[one] for one in FATES if name.startswith(one)), "SUCCESS")
        if age < settles_after:
            return "PENDING"
        # Unclaimed money comes back, and what is returned was unclaimed before.
        is_old = age >= CLAIM_DAYS * DAY_S
        if fate == "UNCLAIMED" and is_old:
            return "RETURNED"
        if fate in ("RETURNED", "REVERSED") and not is_old:
            return "UNCLAIMED" if fate == "RETURNED" else "SUCCESS"
        return fate


@dataclass(slots=True, kw_only=True)
class SentBatch:
    id: str
    sender_batch_id: str
    items: Sequence[Item]
    status: str = "PENDING"


@dataclass(slots=True)
class PayPalBooks:
    """The batches by PayPal's number, and the tokens that it has given."""

    batches: dict[str, SentBatch] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)

    def token(self) -> str:
        token = secrets.token_hex(TOKEN_BYTES)
        self.tokens.add(token)
        return token

    def known_as(self, sender_batch_id: str, *, now: float) -> SentBatch | None:
        """The batch that was sent under the number in the last 30 days."""
        for batch in self.batches.values():
            age = now - batch.items[0].created_at
            if batch.sender_batch_id == sender_batch_id and age < CLAIM_DAYS * DAY_S:
                return batch
        return None

    def rows(self, *, now: float, settles_after: float) -> list[dict[str, str]]:
        """Each item as the control API shows it."""
        return [
            {
                "sender_batch_id": batch.sender_batch_id,
                "sender_item_id": item.sent["sender_item_id"],
                "status": item.status(now=now, settles_after=settles_after),
                "value": item.sent["amount"]["value"],
                "currency": item.sent["amount"]["currency"],
                "transaction_id": item.transaction_id,
            }
            for batch in self.batches.values()
            for item in batch.items
        ]

    def create(
        self, sender_batch_id: str, items: Sequence[Mapping[str, Any]], *, now: float
    ) -> SentBatch:
        batch = SentBatch(
            id=secrets.token_hex(TOKEN_BYTES).upper()[:13],
            sender_batch_id=sender_batch_id,
            items=[
                Item(id=secrets.token_hex(7).upper(), sent=one, created_at=now)
                for one in items
            ],
        )
        self.batches[batch.id] = batch
        return batch
