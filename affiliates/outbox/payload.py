"""Converts a delivery's facts to JSON and back; builds its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

from affiliates.outbox.models.delivery import MAX_KEY
from affiliates.outbox.types import (
    ConversionFacts,
    ErasureFacts,
    EventFacts,
    Operation,
    RestorationFacts,
    ReversalFacts,
    ReversalKind,
    SaleFacts,
    TrackedFacts,
    VisitFacts,
)


def to_json(facts: TrackedFacts | RestorationFacts) -> dict[str, Any]:
    """Text, numbers and None only. The click is looked up when the row is sent."""
    return {
        field.name: _plain(getattr(facts, field.name))
        for field in fields(facts)
        if field.name != "click"
    }


def read_click(payload: Mapping[str, Any]) -> VisitFacts:
    return VisitFacts(**{**payload, "occurred_at": _moment(payload)})


def read_conversion(
    payload: Mapping[str, Any], *, click: VisitFacts | None
) -> ConversionFacts:
    return ConversionFacts(
        **{
            **payload,
            "kind": Operation(payload["kind"]),
            "amount": _amount(payload),
            "occurred_at": _moment(payload),
        },
        click=click,
    )


def read_reversal(payload: Mapping[str, Any], *, remote_ref: str) -> ReversalFacts:
    return ReversalFacts(
        **{
            **payload,
            "kind": ReversalKind(payload["kind"]),
            "amount": _amount(payload),
            "occurred_at": _moment(payload),
            "remote_ref": remote_ref,
        }
    )


def read_erasure(payload: Mapping[str, Any]) -> ErasureFacts:
    return ErasureFacts(**{**payload, "occurred_at": _moment(payload)})


def event(
    *, message_id: str, kind: str, occurred_at: datetime, data: Mapping[str, Any]
) -> dict[str, Any]:
    """The payload of an event's row. ``occurred_at`` is in UTC."""
    return {
        "message_id": message_id,
        "type": kind,
        "timestamp": occurred_at.isoformat().replace("+00:00", "Z"),
        "data": dict(data),
    }


def read_event(payload: Mapping[str, Any], *, sent_at: datetime) -> EventFacts:
    return EventFacts(
        message_id=payload["message_id"],
        kind=payload["type"],
        occurred_at=payload["timestamp"],
        data=payload["data"],
        sent_at=sent_at,
    )


def key_of(facts: SaleFacts, reference: str) -> str:
    match facts:
        case ConversionFacts():
            return f"{facts.kind}:{reference}"
        case ReversalFacts():
            return _key("rev", facts.order_ref, reference)
        case RestorationFacts():
            return _key("res", facts.order_ref, reference)


def _key(kind: str, invoice_ref: str, reference: str) -> str:
    """Differs for every reference: a cut one could equal another's and be skipped."""
    key = f"{kind}:{invoice_ref}:{reference}"
    if len(key) <= MAX_KEY:
        return key
    return f"{kind}:{sha256(key.encode()).hexdigest()}"


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    return value


def _moment(payload: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(payload["occurred_at"])


def _amount(payload: Mapping[str, Any]) -> Decimal | None:
    return None if payload["amount"] is None else Decimal(payload["amount"])
