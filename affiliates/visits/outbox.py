"""Queues clicks for the tracking integration, in the statement that writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connections

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import Operation
from affiliates.visits.rules import DeliveryRow

_SAME_FOR_ALL: dict[str, str | int] = {
    "operation": Operation.CLICK,
    "order_ref": "",
    "state": QueueState.WAITING,
    "attempt_count": 0,
    "outcome": "",
    "detail": "",
    "remote_ref": "",
}
_RECORD = (
    "brand_id bigint, integration_id bigint, key text, visitor_ref text, "
    "payload jsonb, created_at timestamptz, request_id text"
)


def queue_directly(row: DeliveryRow, alias: str) -> None:
    """Queues on Django's own connection, for any database, unless it was before."""
    delivery = Delivery(**row._asdict(), **_SAME_FOR_ALL, next_at=row.created_at)
    Delivery.objects.using(alias).bulk_create([delivery], ignore_conflicts=True)


def queue_sql(alias: str, *, parameter: str) -> str:
    """PostgreSQL's INSERT of any number of rows, all in one parameter: see as_json.

    The number of statements to prepare therefore does not depend on the number of rows.
    """
    table = connections[alias].ops.quote_name(Delivery._meta.db_table)
    columns = ", ".join((*DeliveryRow._fields, "next_at", *_SAME_FOR_ALL))
    values = ", ".join(
        (*DeliveryRow._fields, "created_at", *map(_literal, _SAME_FOR_ALL.values()))
    )
    return (
        f"INSERT INTO {table} ({columns}) SELECT {values} "  # noqa: S608 - constants
        f"FROM json_to_recordset({parameter}::json) AS queued({_RECORD}) "
        "ON CONFLICT DO NOTHING"
    )


def as_json(rows: Sequence[DeliveryRow]) -> str:
    return orjson.dumps([row._asdict() for row in rows]).decode()


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)
