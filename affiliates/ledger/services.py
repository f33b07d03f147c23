"""The only writer of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import DataError, connection, transaction

from affiliates.db.records import insert_statement
from affiliates.ledger import rules
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import BalanceChange, Movement
from affiliates.program.models import Affiliate

# Four parameters each: below the lowest limit of any database for one statement.
BALANCES_PER_STATEMENT = 1_000

_OF_ONE_WRITER = """
    INSERT INTO {table} (affiliate_id, currency, account, part, amount) VALUES {rows}
    ON CONFLICT (affiliate_id, account, currency, part)
    DO UPDATE SET amount = {table}.amount + excluded.amount RETURNING amount
"""
# Adds to the first part that no other transaction holds. If all are held, it makes one
# that is this connection's own. An account begins with the part 0.
_OF_POSTGRESQL = """
    INSERT INTO {table} (affiliate_id, currency, account, part, amount)
    SELECT change.affiliate_id, change.currency, change.account, coalesce(
        (
            SELECT part FROM {table} AS kept
            WHERE kept.affiliate_id = change.affiliate_id
            AND kept.account = change.account AND kept.currency = change.currency
            ORDER BY part LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        ),
        CASE WHEN EXISTS (
            SELECT FROM {table} AS kept
            WHERE kept.affiliate_id = change.affiliate_id
            AND kept.account = change.account AND kept.currency = change.currency
        ) THEN pg_backend_pid() ELSE 0 END
    ), change.amount
    FROM (VALUES {rows}) AS change (affiliate_id, currency, account, amount)
    ON CONFLICT (affiliate_id, account, currency, part)
    DO UPDATE SET amount = {table}.amount + excluded.amount RETURNING amount
"""

_TOO_LARGE = "The balance would be too large to be kept."


def post(movements: Sequence[Movement], *, now: datetime) -> None:
    """Writes the movements to the ledger and updates the balances, all or nothing.

    Call it in the transaction that writes what the movements are for. A zero movement
    is left out. Raises ValueError for an amount below zero, accounts that its kind does
    not permit, and a balance beyond the column's limit; IntegrityError for a key that
    was posted before: the caller prevents this by locking what it posts for.
    """
    for movement in movements:
        rules.check(movement)
    due = [movement for movement in movements if movement.amount]
    changes = rules.balance_changes(due)
    if not due:
        return
    with transaction.atomic(savepoint=False):
        entries = _entries_of(_insert_postings(due, now=now), due)
        if connection.vendor != "postgresql" or not changes:
            LedgerEntry.objects.bulk_create(entries)
            entries = []
        for start in range(0, len(changes), BALANCES_PER_STATEMENT):
            part = changes[start : start + BALANCES_PER_STATEMENT]
            _add_to_balances(part, entries=[] if start else entries)


@transaction.atomic
def rebuild_balances(*, brand_id: int | None = None) -> int:
    """Recomputes the balance of every account, or of one brand's. Returns how many.

    Concurrent postings wait.
    """
    quote = connection.ops.quote_name
    balances, entries, affiliates = (
        quote(model._meta.db_table)
        for model in (AccountBalance, LedgerEntry, Affiliate)
    )
    of_brand, values = "", []
    if brand_id is not None:
        of_brand = (
            f" WHERE affiliate_id IN (SELECT id FROM {affiliates} WHERE brand_id = %s)"  # noqa: S608 - no value in it
        )
        values = [brand_id]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"LOCK TABLE {balances} IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute(f"DELETE FROM {balances}{of_brand}", values)  # noqa: S608 - no value in it
        cursor.execute(
            f"INSERT INTO {balances} (affiliate_id, currency, account, part, amount)"  # noqa: S608 - no value in it
            f" SELECT affiliate_id, currency, account, 0, sum(amount) FROM {entries}"
            f"{of_brand} GROUP BY affiliate_id, currency, account",
            values,
        )
        return int(cursor.rowcount)


def _insert_postings(
    movements: Sequence[Movement], *, now: datetime
) -> list[LedgerPosting]:
    return LedgerPosting.objects.bulk_create(
        LedgerPosting(
            brand_id=movement.brand_id,
            kind=movement.kind,
            key=movement.key,
            commission_id=movement.commission_id,
            payout_id=movement.payout_id,
            posted_at=now,
        )
        for movement in movements
    )


def _entries_of(
    postings: Sequence[LedgerPosting], movements: Sequence[Movement]
) -> list[LedgerEntry]:
    return [
        LedgerEntry(
            posting=posting,
            account=account,
            affiliate_id=movement.affiliate_id,
            currency=movement.currency,
            amount=amount,
        )
        for posting, movement in zip(postings, movements, strict=True)
        for account, amount in (
            (movement.source, -movement.amount),
            (movement.target, movement.amount),
        )
    ]


def _add_to_balances(
    changes: Sequence[BalanceChange], *, entries: Sequence[LedgerEntry]
) -> None:
    """Writes the entries as well, in the same statement; only PostgreSQL can do that."""
    table = connection.ops.quote_name(AccountBalance._meta.db_table)
    values = [value for change in changes for value in change]
    row = "(%s::bigint, %s::text, %s::text, %s::bigint)"
    statement, parted = _OF_POSTGRESQL, ""
    if connection.vendor != "postgresql":
        row, statement = "(%s, %s, %s, 0, %s)", _OF_ONE_WRITER
    elif entries:
        written, written_values = insert_statement(entries)
        parted = f"WITH entry AS ({written}) "
        values = [*written_values, *values]
    rows = ", ".join([row] * len(changes))
    try:
        with connection.cursor() as cursor:
            cursor.execute(parted + statement.format(table=table, rows=rows), values)
            amounts = [amount for (amount,) in cursor.fetchall()]
    except DataError:
        raise ValueError(_TOO_LARGE) from None
    # SQLite continues with a rounded number where PostgreSQL refuses.
    if any(isinstance(amount, float) for amount in amounts):
        raise ValueError(_TOO_LARGE)
