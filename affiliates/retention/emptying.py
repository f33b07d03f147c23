"""Clears old addresses and user agents of visitors, by the table of personal data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.db import connections, router, transaction
from django.db.models import Model

from affiliates.addresses import ADDRESS_KEPT, hash_address
from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import OldAddress
from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.privacy.registry import declared
from affiliates.privacy.uses import ADDRESS, DEVICE
from affiliates.retention.models import PurgedClicks
from affiliates.retention.rules import EmptiedKind, emptied_before
from affiliates.worker.types import ShouldStop

ROWS_AT_ONCE = 500
# A row may be committed, or reported, some time after the moment it bears.
LATE = timedelta(days=2)
DAY = timedelta(days=1)
USES = {EmptiedKind.ADDRESSES: ADDRESS, EmptiedKind.AGENTS: DEVICE}
PAYLOAD_KEYS = {EmptiedKind.ADDRESSES: "ip", EmptiedKind.AGENTS: "user_agent"}

# What replaces the value of a row with that moment.
Change = Callable[[Any, datetime], Any]


class _Columns(NamedTuple):
    model: type[Model]
    at: str
    names: tuple[str, ...]
    change: Change


def empty_visitors(*, now: datetime, should_stop: ShouldStop = lambda: False) -> str:
    """Clears what is too old, once a day. If it is stopped, the rest is done next time."""
    count = 0
    for brand in Brand.objects.all():
        for kind in EmptiedKind:
            count += _empty_kind(brand, kind, now, should_stop)
    return f"{count:,} rows with visitors' data cleared." if count else ""


def _empty_kind(
    brand: Brand, kind: EmptiedKind, now: datetime, should_stop: ShouldStop
) -> int:
    before = emptied_before(now, kept=_kept(kind))
    done = PurgedClicks.objects.filter(brand=brand, kind=kind).first()
    if done is not None and done.before >= before:
        return 0
    since = None if done is None else done.before - LATE
    count = 0
    for columns in _columns_of(kind, brand):
        count += _empty(columns, brand, since, before, should_stop)
    if not should_stop():
        PurgedClicks.objects.update_or_create(
            brand=brand, kind=kind, defaults={"before": before}
        )
    return count


def _kept(kind: EmptiedKind) -> timedelta:
    if kind is EmptiedKind.ADDRESSES:
        return ADDRESS_KEPT
    return timedelta(days=conf.keep_user_agents_days)


def _columns_of(kind: EmptiedKind, brand: Brand) -> Iterator[_Columns]:
    use = USES[kind]
    hashes = brand.old_addresses == OldAddress.HASH and use is ADDRESS
    for one in declared():
        if names := one.columns.get(use):
            yield _Columns(one.model, one.at, names, _hashed if hashes else _nothing)
    without = partial(_without, PAYLOAD_KEYS[kind])
    yield _Columns(Delivery, "created_at", ("payload",), without)


def _hashed(address: str, at: datetime) -> str:
    return hash_address(address, at.astimezone(UTC).date())


def _nothing(value: str, at: datetime) -> str:
    return ""


def _without(key: str, payload: Any, at: datetime) -> Any:
    return {**payload, key: ""} if payload.get(key) else payload


def _empty(
    columns: _Columns,
    brand: Brand,
    since: datetime | None,
    before: datetime,
    should_stop: ShouldStop,
) -> int:
    """In steps of some 20 ms: on SQLite visits wait for each."""
    at, names = columns.at, columns.names
    rows: Any = columns.model._base_manager.filter(
        **{"brand": brand, f"{at}__lt": before}
    )
    rows = rows.order_by(at, "pk").values_list(*names, at, "pk")
    if since is not None:
        rows = rows.filter(**{f"{at}__gte": since})
    count, left = 0, rows
    while not should_stop():
        began = time.perf_counter()
        found = list(left[:ROWS_AT_ONCE])
        changed = list(_changed(found, columns))
        if changed:
            _write(changed, columns)
            count += len(changed)
        if len(found) < ROWS_AT_ONCE:
            break
        *_, last_at, last_pk = found[-1]
        last = {at: last_at, "pk__lte": last_pk}
        left = rows.filter(**{f"{at}__gte": last_at}).exclude(**last)
        # Visits have as much time as this step had.
        time.sleep(time.perf_counter() - began)
    return count


def _changed(rows: Sequence[Any], columns: _Columns) -> Iterator[Sequence[Any]]:
    """The new values and the key of each row that changes."""
    for *old, at, pk in rows:
        new = [columns.change(value, at) for value in old]
        if new != old:
            yield *new, pk


def _write(rows: Sequence[Sequence[Any]], columns: _Columns) -> None:
    """Updates rows one by one: ``bulk_update`` compiles its statement for half a
    second, in the transaction that all writers of SQLite wait for.
    """
    meta = columns.model._meta
    connection = connections[router.db_for_write(columns.model)]
    by_name = {field.name: field for field in meta.concrete_fields}
    fields = [*(by_name[name] for name in columns.names), meta.pk]
    quoted = [connection.ops.quote_name(str(field.column)) for field in fields]
    assignments = ", ".join(f"{name} = %s" for name in quoted[:-1])
    values = [
        [
            field.get_db_prep_save(value, connection)
            for field, value in zip(fields, row, strict=True)
        ]
        for row in rows
    ]
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {meta.db_table} SET {assignments} WHERE {quoted[-1]} = %s",  # noqa: S608 - our own names
            values,
        )
