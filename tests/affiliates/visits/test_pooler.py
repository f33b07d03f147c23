"""Behind a pooler, clicks are written without anything that outlives a transaction."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import OperationalError, connection

from affiliates.outbox.models.delivery import Delivery
from affiliates.visits.rules import DeliveryRow
from affiliates.visits.writer import ClickTable
from tests.affiliates.visits.writing import (
    held_for_update,
    make_row,
    needs_shared_commits,
    stored_rows,
)

pytestmark = needs_shared_commits

NOW = datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC)


@pytest.fixture
def table(transactional_db, monkeypatch) -> Iterator[ClickTable]:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    table = ClickTable("default")
    yield table
    table.close()


def session_of(table: ClickTable) -> tuple[Any, ...]:
    """Prepared statements and the lock timeout of the connection that it keeps."""
    cursor: Any = table._cursor
    cursor.execute(
        "SELECT (SELECT count(*) FROM pg_prepared_statements),"
        " setting = reset_val"
        " FROM pg_settings WHERE name = 'lock_timeout'"
    )
    row: tuple[Any, ...] = cursor.fetchone()
    return row


def test_a_session_is_left_as_it_was(table, affiliate, integrate):
    integration = integrate()
    rows = [make_row(affiliate.pk) for _ in range(3)]

    table.insert(rows[:2])
    table.insert(rows[2:], [delivery_for(rows[2], integration)])

    assert session_of(table) == (0, True)
    assert sorted(stored_rows()) == sorted(rows)
    assert Delivery.objects.count() == 1


def test_a_delivery_waits_for_its_integration_for_a_part_of_the_deadline(
    settings, table, integrate
):
    settings.AFFILIATES_VISIT_DEADLINE_SECONDS = 1.0
    integration = integrate()
    row = make_row()
    began = time.monotonic()

    with held_for_update(integration), pytest.raises(OperationalError):
        table.insert([row], [delivery_for(row, integration)])

    assert 0.75 <= time.monotonic() - began < 5
    assert session_of(table) == (0, True)
    assert stored_rows() == []
    assert not Delivery.objects.exists()


def delivery_for(row: Any, integration: Any) -> DeliveryRow:
    return DeliveryRow(
        brand_id=integration.brand_id,
        integration_id=integration.pk,
        key=f"click:{row.id}",
        visitor_ref="0f3c9a7be2d14c55a1b2c3d4e5f60718",
        payload={"ip": "203.0.113.7"},
        created_at=NOW,
    )
