from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceFacts:
    """What an affiliate says of its invoice. The sums are in minor units."""

    number: str
    issued_on: date
    net: int
    tax: int
    total: int
