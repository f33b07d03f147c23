"""The only writer of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import DataError, connection, transaction

from affiliates.ledger import rules
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import BalanceChange, Movement
from affiliates.program.models import Affiliate

# Four parameters each: below the lowest limit of any database for one statement.
BALANCES_PER_STATEMENT = 1_000

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
        _insert(due, now=now)
        for start in range(0, len(changes), BALANCES_PER_STATEMENT):
            _add_to_balances(changes[start : start + BALANCES_PER_STATEMENT])


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
            f"INSERT INTO {balances} (affiliate_id, currency, account, amount)"  # noqa: S608 - no value in it
            f" SELECT affiliate_id, currency, account, sum(amount) FROM {entries}"
            f"{of_brand} GROUP BY affiliate_id, currency, account",
            values,
        )
        return int(cursor.rowcount)


def _insert(movements: Sequence[Movement], *, now: datetime) -> None:
    postings = LedgerPosting.objects.bulk_create(
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
    LedgerEntry.objects.bulk_create(
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
    )


def _add_to_balances(changes: Sequence[BalanceChange]) -> None:
    """Uses one statement, so concurrent postings add up and lock in the same order."""
    table = connection.ops.quote_name(AccountBalance._meta.db_table)
    rows = ", ".join(["(%s, %s, %s, %s)"] * len(changes))
    statement = (
        f"INSERT INTO {table} (affiliate_id, currency, account, amount) VALUES {rows}"  # noqa: S608 - no value in it
        " ON CONFLICT (affiliate_id, account, currency)"
        f" DO UPDATE SET amount = {table}.amount + excluded.amount RETURNING amount"
    )
    values = [value for change in changes for value in change]
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            amounts = [amount for (amount,) in cursor.fetchall()]
    except DataError:
        raise ValueError(_TOO_LARGE) from None
    # SQLite continues with a rounded number where PostgreSQL refuses.
    if any(isinstance(amount, float) for amount in amounts):
        raise ValueError(_TOO_LARGE)
