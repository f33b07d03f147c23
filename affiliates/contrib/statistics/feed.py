"""Finds all changes since the last look, regardless of when they were committed.

Each change of a day's figures leaves a row in its own transaction: triggers see to it,
so that updates without Django's signals and plain SQL are noticed too. Such a row is
seen once its transaction is committed, and is deleted when its day is marked.

Clicks are too many for a row each. On PostgreSQL each carries the number of the
transaction that wrote it, given by the database. A look remembers its snapshot: rows that
are new since come from a transaction that ran then, or from a later one, at any time of
click. So a transaction that runs for hours costs no second reading of other clicks.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple, Self

from django.db import connections, router

from affiliates.commissions.models import Commission, CommissionReversal
from affiliates.contrib.statistics.models import StatisticsChange, StatisticsState
from affiliates.db import migration_operations
from affiliates.db.migration_operations import Trigger, created, dropped
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import RefundCancellation, Sale, SaleReversal
from affiliates.visits.models import Click

_CHANGES = StatisticsChange._meta.db_table
_SALE, _COMMISSION = Sale._meta.db_table, Commission._meta.db_table
_CANCELLED = (
    f"SELECT c.brand_id, c.cancelled_at, false FROM {RefundCancellation._meta.db_table} c "  # noqa: S608 - tables' names
    f"JOIN {SaleReversal._meta.db_table} r ON r.cancellation_id = c.id "
    f"JOIN {_SALE} s ON s.id = r.sale_id"
)
# Whose changes change what cancellations gave back, and of which sale.
_GIVEN_BACK = (
    (SaleReversal, "insert", "r.id = NEW.id"),
    (CommissionReversal, "insert", "r.id = NEW.sale_reversal_id"),
    (Commission, "update", "r.sale_id = NEW.sale_id"),
    (OrderReferral, "update", "s.order_referral_id = NEW.id"),
)
_OPERATIONS = {"insert": ("NEW",), "update": ("OLD", "NEW"), "delete": ("OLD",)}
# Rows with their own brand and time.
_OWN_MOMENTS = (
    (ClientReferral, "bound_at"),
    (OrderReferral, "converted_at"),
    (Sale, "paid_at"),
    (Commission, "earned_at"),
)
# To the minute: every time zone's days begin at one.
_LATE_CLICKS = f"""
SELECT DISTINCT date_trunc('minute', created_at) FROM {Click._meta.db_table}
WHERE (written_in >= %s OR written_in = ANY(%s))
    AND brand_id = %s AND affiliate_id IS NOT NULL AND created_at < %s
"""  # noqa: S608 - a table's name


def faulty_triggers() -> Iterator[tuple[str, str]]:
    """The name of each trigger that does not do its work, and why."""
    for trigger, fault in _faulty():
        yield trigger.name, f"{fault}: statistics miss what changes."


def install_triggers(**_: Any) -> None:
    """Puts faulty triggers right: SQLite drops them when a migration rebuilds the table.

    What they did not notice meanwhile is counted anew.
    """
    connection = _connection()
    if StatisticsChange._meta.db_table not in connection.introspection.table_names():
        return
    faulty = [trigger for trigger, _ in _faulty()]
    if not faulty:
        return
    with connection.cursor() as cursor:
        for trigger in faulty:
            cursor.execute(dropped(trigger, connection.vendor))
            if trigger.function:
                cursor.execute(created(trigger.function, functions()[trigger.function]))
            cursor.execute(trigger.definition)
    StatisticsState.objects.update(time_zone="")


def _faulty() -> Iterator[tuple[Trigger, str]]:
    connection = _connection()
    return migration_operations.faulty_triggers(
        connection, triggers(connection.vendor), functions()
    )


class Snapshot(NamedTuple):
    """Transactions visible to a look: before ``end`` and not ``running`` then."""

    end: int = 0
    running: tuple[int, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Reads PostgreSQL's form, such as ``10:15:10,12``. Empty: nothing was seen."""
        _, end, running = (text or ":0:").split(":")
        return cls(
            int(end), tuple(int(number) for number in running.split(",") if number)
        )


def snapshot() -> str:
    """Returns the visible transactions; empty on databases that serialise writers."""
    if not _has_transaction_ids():
        return ""
    with _connection().cursor() as cursor:
        cursor.execute(
            "SELECT pg_current_snapshot()::text, pg_current_xact_id_if_assigned()::text"
        )
        seen, own = cursor.fetchone()
    # Its own transaction runs too, and may write more.
    return (
        str(seen) if own is None else f"{seen}{'' if seen.endswith(':') else ','}{own}"
    )


def late_clicks(state: StatisticsState, before: datetime) -> Iterator[datetime]:
    """Moments of clicks that were committed since the last look, of closed days."""
    if not _has_transaction_ids():
        return
    end, running = Snapshot.from_text(state.clicks_seen)
    with _connection().cursor() as cursor:
        cursor.execute(_LATE_CLICKS, [end, list(running), state.brand_id, before])
        for (moment,) in cursor:
            yield moment


def triggers(vendor: str) -> list[Trigger]:
    lines = []
    for name, table, operation, action in _noted(vendor):
        head = f"CREATE TRIGGER {name} AFTER {operation} ON {table} FOR EACH ROW"
        if vendor == "postgresql":
            act = f"EXECUTE FUNCTION {name}()"
            lines.append(Trigger(name, table, f"{head} {act}", name))
        else:
            lines.append(Trigger(name, table, f"{head} BEGIN {action} END"))
    return lines


def functions() -> dict[str, str]:
    """The bodies of PostgreSQL's functions by name: each trigger has one."""
    return {
        name: f"BEGIN {action} RETURN NULL; END "
        for name, _table, _operation, action in _noted("postgresql")
    }


def _noted(vendor: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, table, operation, and what is then done."""
    for model, moment in _OWN_MOMENTS:
        for operation, rows in _OPERATIONS.items():
            selects = [f"SELECT {row}.brand_id, {row}.{moment}, false" for row in rows]
            if model is OrderReferral and operation == "update":
                # Its sales are those of the affiliate who has the order now.
                selects.append(
                    f"SELECT brand_id, paid_at, false FROM {_SALE} "  # noqa: S608
                    "WHERE order_referral_id = NEW.id"
                )
            yield _trigger(model, operation, " UNION ".join(selects))
    yield _trigger(SaleReversal, "insert", _of(_SALE, "paid_at", "sale_id"))
    yield _trigger(
        CommissionReversal, "insert", _of(_COMMISSION, "earned_at", "commission_id")
    )
    # What a cancellation gave back is of its own day, and so is what becomes of it.
    for source, operation, sale in _GIVEN_BACK:
        yield _trigger(source, operation, f"{_CANCELLED} WHERE {sale}", of="_cancelled")
    if vendor != "postgresql":
        yield _trigger(Click, "insert", "SELECT NEW.brand_id, NEW.created_at, true")


def _trigger(
    model: type[Any], operation: str, select: str, *, of: str = ""
) -> tuple[str, str, str, str]:
    table = model._meta.db_table
    action = f"INSERT INTO {_CHANGES} (brand_id, at, of_clicks) {select};"
    return f"{table}_notes{of}_{operation}", table, operation, action


def _of(table: str, moment: str, key: str) -> str:
    return f"SELECT brand_id, {moment}, false FROM {table} WHERE id = NEW.{key}"  # noqa: S608


def _has_transaction_ids() -> bool:
    return bool(_connection().vendor == "postgresql")


def _connection() -> Any:
    return connections[router.db_for_write(StatisticsState)]
