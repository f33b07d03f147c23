"""Adds up what a digest tells of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from affiliates.emails.kinds import KINDS
from affiliates.emails.types import EmailKind, day, money

# By kind and currency: the number of facts, and the sum of each of their amounts.
Sums = Mapping[str, Mapping[str, Mapping[str, int]]]


def added(sums: Sums, kind: EmailKind, values: Mapping[str, Any]) -> Sums:
    """The sums with one more fact of this kind, which has at least one amount."""
    amounts = {name: values[name] for name in KINDS[kind].sums if values[name]}
    currency = next(amount["currency"] for amount in amounts.values())
    of_kind = sums.get(kind, {})
    before = of_kind.get(currency, {})
    more = {name: amount["amount"] for name, amount in amounts.items()} | {"count": 1}
    after = {name: before.get(name, 0) + value for name, value in more.items()}
    return {**sums, kind: {**of_kind, currency: {**before, **after}}}


def described(sums: Sums, *, since: datetime) -> dict[str, Any]:
    """The values of the digest's text: one entry of ``news`` per kind and currency."""
    news = [
        {
            "kind": kind,
            "count": amounts["count"],
            **{
                name: money(amounts[name], currency) if amounts.get(name) else ""
                for name in known.sums
            },
        }
        for kind, known in KINDS.items()
        for currency, amounts in sorted(sums.get(kind, {}).items())
    ]
    earned = [item["commission"] for item in news if item.get("commission")]
    return {"since": day(since), "news": news, "earned": earned}
