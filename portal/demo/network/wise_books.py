"""Wise's side of payouts: groups, transfers, and what becomes of each with time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import uuid4

DAY_S = 86_400
FUND_DAYS, BOUNCE_DAYS, REFUND_DAYS = 14, 2, 5
WAITING, CANCELLED = "incoming_payment_waiting", "cancelled"
PROCESSING, SENT = "processing", "outgoing_payment_sent"
# A currency's worth in euros.
WORTH: Mapping[str, Decimal] = {
    "EUR": Decimal(1),
    "GBP": Decimal("1.16"),
    "USD": Decimal("0.92"),
    "JPY": Decimal("0.0061"),
}


@dataclass(slots=True, kw_only=True)
class SentTransfer:
    """The beginning of the recipient's name decides what becomes of it."""

    id: int
    content: Mapping[str, Any]
    quote: Mapping[str, Any]
    holder: str
    created_at: float
    funded_at: float | None = None
    is_cancelled: bool = False

    def status(self, *, now: float, settles_after: float) -> str:
        if self.is_cancelled:
            return CANCELLED
        if self.funded_at is None:
            is_late = now - self.created_at >= FUND_DAYS * DAY_S
            return CANCELLED if is_late else WAITING
        age = now - self.funded_at
        if age < settles_after or self.holder.startswith("Stuck"):
            return PROCESSING
        if self.holder.startswith("Returned"):
            if age >= REFUND_DAYS * DAY_S:
                return "funds_refunded"
            return "bounced_back" if age >= BOUNCE_DAYS * DAY_S else SENT
        return SENT


@dataclass(slots=True, kw_only=True)
class SentGroup:
    id: str
    name: str
    currency: str
    status: str = "NEW"
    version: int = 0
    transfers: list[SentTransfer] = field(default_factory=list)


@dataclass(slots=True)
class WiseBooks:
    """What was made, by Wise's numbers; transfers by those of the customer."""

    groups: dict[str, SentGroup] = field(default_factory=dict)
    recipients: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    quotes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    transfers: dict[str, SentTransfer] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=lambda: count(50_001))

    def open_group(self, name: str, currency: str) -> SentGroup:
        group = SentGroup(id=str(uuid4()), name=name, currency=currency)
        self.groups[group.id] = group
        return group

    def add_recipient(self, content: Mapping[str, Any]) -> int:
        number = next(self.numbers)
        self.recipients[number] = content
        return number

    def quote(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        source, target = content["sourceCurrency"], content["targetCurrency"]
        rate = (WORTH[source] / WORTH[target]).quantize(Decimal("0.000001"))
        cent = Decimal(1) if "JPY" in (source, target) else Decimal("0.01")
        if "targetAmount" in content:
            wanted = Decimal(str(content["targetAmount"]))
            paid = (wanted / rate).quantize(cent)
        else:
            paid = Decimal(str(content["sourceAmount"]))
            wanted = (paid * rate).quantize(cent)
        quote = {
            **content,
            "id": str(uuid4()),
            "rate": float(rate),
            "sourceAmount": float(paid),
            "targetAmount": float(wanted),
        }
        self.quotes[quote["id"]] = quote
        return quote

    def add_transfer(
        self, group: SentGroup, content: Mapping[str, Any], *, now: float
    ) -> SentTransfer:
        """Adds nothing for a number that a transfer in any group has: returns that one."""
        number = content["customerTransactionId"]
        if number not in self.transfers:
            transfer = SentTransfer(
                id=next(self.numbers),
                content=content,
                quote=self.quotes[content["quoteUuid"]],
                holder=self.recipients[content["targetAccount"]]["accountHolderName"],
                created_at=now,
            )
            self.transfers[number] = transfer
            group.transfers.append(transfer)
            group.version += 1
        return self.transfers[number]

    def close(self, group: SentGroup, status: str) -> None:
        group.status = status
        group.version += 1
        for transfer in group.transfers:
            transfer.is_cancelled = status == "CANCELLED"

    def fund(self, groups: Sequence[SentGroup], *, now: float) -> None:
        """As its owner does in Wise, or by the API. Once for each transfer."""
        for group in groups:
            for transfer in group.transfers if group.status == "COMPLETED" else ():
                if transfer.status(now=now, settles_after=0) == WAITING:
                    transfer.funded_at = now
