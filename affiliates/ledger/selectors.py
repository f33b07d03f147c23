"""The balances of accounts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery, Sum

from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import PATHS, Account, PostingKind


def balance(affiliate_id: int, currency: str, account: Account) -> int:
    """In minor units; zero for an account without postings."""
    rows = AccountBalance.objects.filter(
        affiliate_id=affiliate_id, currency=currency, account=account
    )
    return sum(rows.order_by().values_list("amount", flat=True))


def account_balances(rows: QuerySet[AccountBalance] | None = None) -> QuerySet[Any]:
    """Returns one of these rows per account, with the ``balance`` of all its parts."""
    rows = AccountBalance.objects.all() if rows is None else rows
    return rows.filter(part=0).annotate(balance=sum_of_parts())


def sum_of_parts() -> Subquery:
    """Returns the sum of all parts of a row's account."""
    account = ("affiliate", "account", "currency")
    parts = AccountBalance.objects.filter(
        **{column: OuterRef(column) for column in account}
    )
    sums = parts.order_by().values(*account).annotate(sum=Sum("amount"))
    return Subquery(sums.values("sum"), output_field=BigIntegerField())


def balances_of(affiliate_id: int) -> dict[str, dict[Account, int]]:
    """Every account of the affiliate, by currency. One query."""
    rows = AccountBalance.objects.filter(affiliate_id=affiliate_id).order_by()
    return _by_currency(rows.values_list("currency", "account", "amount"))


def balances_at(
    affiliate_id: int, end: datetime, *, now: datetime
) -> dict[str, dict[Account, int]]:
    """The balances at this moment: the sum of earlier entries. One query."""
    if end > now:
        return balances_of(affiliate_id)
    entries = LedgerEntry.objects.alias(posted_at=of_posting("posted_at")).filter(
        affiliate_id=affiliate_id, posted_at__lt=end
    )
    sums = entries.order_by().values_list("currency", "account").annotate(Sum("amount"))
    # PostgreSQL returns sums of integers as decimals.
    return _by_currency((code, account, int(sum_)) for code, account, sum_ in sums)


def of_posting(name: str) -> Subquery:
    """A column of an entry's posting, looked up for each entry.

    With a join, PostgreSQL reads all postings instead of looking up thousands.
    """
    posting = LedgerPosting.objects.filter(pk=OuterRef("posting_id"))
    return Subquery(posting.values(name))


def moved_between(
    affiliate_id: int, start: datetime, end: datetime
) -> dict[str, dict[PostingKind, int]]:
    """The sums by kind of movement, at the accounts they went to. One query.

    Movements back to the brand are below zero, as taken from the affiliate.
    """
    entries = LedgerEntry.objects.filter(
        affiliate_id=affiliate_id,
        posting__posted_at__gte=start,
        posting__posted_at__lt=end,
    ).exclude(account=Account.EXPENSE)
    sums = entries.order_by().values_list("currency", "posting__kind", "account")
    found: dict[str, dict[PostingKind, int]] = {}
    for currency, name, account, amount in sums.annotate(Sum("amount")):
        kinds = found.setdefault(currency, dict.fromkeys(PostingKind, 0))
        kind = PostingKind(name)
        targets = PATHS[kind].targets
        if account in targets or Account.EXPENSE in targets:
            kinds[kind] += int(amount)
    return found


def _by_currency(
    rows: Iterable[tuple[str, str, int]],
) -> dict[str, dict[Account, int]]:
    sums: dict[str, dict[Account, int]] = {}
    for currency, account, amount in rows:
        accounts = sums.setdefault(currency, dict.fromkeys(Account, 0))
        accounts[Account(account)] += amount
    return sums
