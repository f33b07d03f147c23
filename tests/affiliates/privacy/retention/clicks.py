"""Clicks of any time, and which of them may go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from affiliates.brands.models.brand import Brand
from affiliates.core.ids import first_id_of, new_id
from affiliates.db.partitions import building, parts, replacing
from affiliates.privacy.retention.rules import ClickKind
from affiliates.privacy.retention.selectors import purgeable_clicks
from affiliates.privacy.retention.services import TABLE
from affiliates.program.models import Affiliate
from affiliates.visits.models import Click
from affiliates.visits.writer import close_click_connections
from tests.factories.affiliates import ClickFactory

_RANDOM = (1 << 80) - 1


def id_at(moment: datetime) -> UUID:
    """A new id that was made at this moment."""
    return UUID(int=first_id_of(moment).int | (new_id().int & _RANDOM))


def click_at(affiliate: Affiliate, moment: datetime, **values: Any) -> Click:
    return ClickFactory(
        affiliate=affiliate,
        id=id_at(moment),
        created_at=moment,
        visitor_id=new_id(),
        **values,
    )


def put_back_partitions() -> None:
    """Leaves PostgreSQL's table as a migration of today makes it."""
    close_click_connections()
    with connection.cursor() as cursor:
        replacing.drop_unfinished(connection, TABLE)
        cursor.execute(f"TRUNCATE {TABLE}")
        if not parts.is_partitioned(connection, TABLE):
            building.adopt(connection, TABLE)
        for part in parts.parts_of(connection, TABLE):
            if not part.is_default:
                cursor.execute(f"DROP TABLE {part.name}")
    building.create_months(connection, TABLE, parts.months_ahead(datetime.now(UTC)))


def purgeable(brand: Brand, before: datetime) -> list[Click]:
    """Those of all kinds."""
    return [
        click
        for kind in ClickKind
        for click in purgeable_clicks(brand, kind, since=None, before=before)
    ]
