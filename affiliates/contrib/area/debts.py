"""Balances as the pages show them: with what waits, and what is owed back."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def with_debt(balance: Mapping[str, Any]) -> dict[str, Any]:
    """The balance with what the page shows large, and a debt as a positive number."""
    payable = Decimal(balance["payable"])
    waiting = Decimal(balance["pending"]) + Decimal(balance["held"])
    return {
        **balance,
        "waiting": str(waiting),
        "debt": str(-payable) if payable < 0 else "",
        "can_be_asked": payable > 0,
    }
