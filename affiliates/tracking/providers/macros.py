"""The values of a template's macros, and the macros of each operation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from decimal import Decimal

from affiliates.outbox.types import (
    ErasureFacts,
    Operation,
    ReversalFacts,
    TrackedFacts,
    VisitFacts,
)

VISITOR_ID = "visitor_id"
AMOUNT = "amount"

_ALWAYS = frozenset({VISITOR_ID, "kind", "occurred_unix", "occurred_iso"})
_LEAD = _ALWAYS | {"order_ref", "customer_ref", "coupon", "affiliate", "ip", "ua"}
FACT_MACROS: Mapping[Operation, frozenset[str]] = {
    Operation.CLICK: _ALWAYS
    | {"affiliate", "click_id", "page", "referrer", "ip", "ua"},
    Operation.SALE: _LEAD | {AMOUNT, "currency", "product"},
    Operation.LEAD: _LEAD,
    Operation.REVERSAL: _ALWAYS | {"order_ref", AMOUNT, "currency", "remote_ref"},
    Operation.ERASURE: _ALWAYS - {VISITOR_ID} | {"customer_ref"},
}


def fact_values(facts: TrackedFacts) -> dict[str, str]:
    """Every macro of the facts, except the visitor's identifier."""
    moment = facts.occurred_at.astimezone(UTC)
    values = {
        "occurred_unix": str(int(moment.timestamp())),
        "occurred_iso": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
    }
    if isinstance(facts, ErasureFacts):
        return values | {
            "kind": facts.operation,
            "customer_ref": facts.customer_ref,
        }
    if isinstance(facts, ReversalFacts):
        return values | {
            "kind": facts.kind,
            "order_ref": facts.order_ref,
            AMOUNT: _plain(facts.amount),
            "currency": facts.currency,
            "remote_ref": facts.remote_ref,
        }
    values |= {
        "affiliate": facts.affiliate,
        "ip": facts.ip,
        "ua": facts.user_agent,
    }
    if isinstance(facts, VisitFacts):
        return values | {
            "kind": Operation.CLICK,
            "click_id": facts.click_id,
            "page": facts.page,
            "referrer": facts.referrer,
        }
    return values | {
        "kind": facts.kind,
        "order_ref": facts.order_ref,
        AMOUNT: _plain(facts.amount),
        "currency": facts.currency,
        "product": facts.product_ref,
        "customer_ref": facts.customer_ref,
        "coupon": facts.coupon,
    }


def _plain(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount:f}"
