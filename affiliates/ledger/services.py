"""The only writer of the books."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import DataError, connection, transaction

from affiliates.ledger import rules
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import BalanceChange, Movement
from affiliates.program.models import Affiliate

# Four parameters each: below the fewest that a database takes in one statement.
BALANCES_PER_STATEMENT = 1_000

_TOO_LARGE = "The balance would be too large to be kept."


def post(movements: Sequence[Movement], *, now: datetime) -> None:
    """Write the movements into the books and keep the balances, all or nothing.

    Belongs into the caller's transaction, beside what the movements are for. A movement
    of nothing is left out. Raises ValueError for one below zero, one on a way its kind
    does not go, and a balance beyond what a column holds; IntegrityError for a key that
    was posted before, which is why the caller holds the lock of what it posts for.
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
    """Sum the entries of every account anew, or of one brand's. Returns how many.

    Whoever posts meanwhile waits.
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
    """One statement, so that concurrent postings add up and lock in one order."""
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
    # SQLite goes on with a rounded number where PostgreSQL refuses.
    if any(isinstance(amount, float) for amount in amounts):
        raise ValueError(_TOO_LARGE)
