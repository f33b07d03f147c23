"""The facts that verification judges, read for a range of rows at a time.

Every range costs the same few queries, however many entries it has: the database sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast, Round
from moneyed import CurrencyDoesNotExist, get_currency

from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import rounded_minor
from affiliates.ledger.models import AccountBalance, LedgerEntry
from affiliates.ledger.rules import Account, PostingKind
from affiliates.payouts.models import PayoutEvent
from affiliates.payouts.rules import StatementKind
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.sales.models import SaleReversal
from affiliates.verification.rules.books import (
    COMMISSION_ACCOUNTS,
    PAYOUT_ACCOUNTS,
    BalanceFacts,
    CommissionFacts,
    CommissionMoney,
    Owner,
    PayoutFacts,
    PayoutMoney,
    StoredSale,
)
from affiliates.verification.selectors.ranges import json_text, within

NOTHING = (0, 0)
# The sums for a commission and for a payout, in the order of the facts.
COMMISSION_SUMS = (
    Q(posting__kind=PostingKind.EARNED, account=Account.PENDING),
    Q(posting__kind=PostingKind.REVERSED, account=Account.EXPENSE),
    Q(posting__kind=PostingKind.RESTORED)
    & Q(account__in=[Account.PENDING, Account.HELD, Account.PAYABLE]),
    *(Q(account=account) for account in COMMISSION_ACCOUNTS),
)
PAYOUT_SUMS = (
    Q(posting__kind=PostingKind.PAYOUT_REQUESTED, account=Account.CLEARING),
    Q(posting__kind=PostingKind.PAYOUT_PAID, account=Account.PAID_OUT),
    Q(posting__kind=PostingKind.PAYOUT_REJECTED, account=Account.PAYABLE),
    Q(posting__kind=PostingKind.PAYOUT_RETURNED, account=Account.PAYABLE),
    *(Q(account=account) for account in PAYOUT_ACCOUNTS),
)


def sale_facts(sales: QuerySet[Any], ids: range) -> Iterator[StoredSale]:
    reversals = _sums_of_reversals(ids)
    live = dict(
        within(Commission._base_manager.all(), ids, "sale_id")
        .filter(share_of__isnull=True)
        .exclude(status=CommissionStatus.REJECTED)
        .values_list("sale_id")
        .annotate(count=Count("pk"))
    )
    rows = within(sales, ids).values_list(
        "pk",
        "brand_id",
        "net_currency",
        _thousandths("net"),
        "payment__brand_id",
        "affiliate__brand_id",
        "payment__gross_currency",
        json_text("payment__lines"),
    )
    for *row, paid_currency, lines in rows:
        reversed_total, foreign_reversals = reversals.get(row[0], NOTHING)
        yield StoredSale._make(
            (
                *row,
                _total_of(lines, paid_currency),
                -reversed_total,
                foreign_reversals + (paid_currency != row[2]),
                live.get(row[0], 0),
            )
        )


def _total_of(lines: str, currency_code: str) -> int | None:
    try:
        currency = get_currency(currency_code)
        nets = [rounded_minor(line["net"], currency) for line in orjson.loads(lines)]
        return sum(nets) * 1000 // currency.sub_unit
    except (ArithmeticError, CurrencyDoesNotExist, LookupError, TypeError, ValueError):
        return None


def commission_facts(
    commissions: QuerySet[Any], ids: range
) -> Iterator[CommissionFacts]:
    lines = _sums_of_lines(ids)
    reversals = _sums_of_takings(ids)
    money = _money("commission_id", ids, COMMISSION_SUMS)
    history = _history(CommissionEvent, "commission_id", ids)
    rows = within(commissions, ids).values_list(
        "pk",
        "amount",
        "status",
        "brand_id",
        "affiliate_id",
        "currency",
        "sale__brand_id",
        "sale__net_currency",
        "payout__status",
        "payout__brand_id",
        "payout__affiliate_id",
        "payout__currency",
        # A share is credited to nobody: ``judge_share`` asks whose it is of.
        Case(
            When(share_of__isnull=False, then=F("affiliate_id")),
            default=F("sale__order_referral__affiliate_id"),
        ),
    )
    for pk, amount, status, *rest in rows:
        taken, restored, foreign_count = reversals.get(pk, (0, 0, 0))
        payout_status = rest[5]
        yield CommissionFacts(
            id=pk,
            owner=Owner(*rest[:3]),
            amount=amount,
            status=status,
            sale=(rest[3], rest[4]),
            line_total=lines.get(pk, 0),
            reversed_total=-taken,
            restored_total=restored,
            foreign_count=foreign_count,
            payout=payout_status and (payout_status, Owner(*rest[6:9])),
            credited_id=rest[9],
            money=CommissionMoney(*money.get(pk, ())),
            history=history[pk],
        )


def payout_facts(payouts: QuerySet[Any], ids: range) -> Iterator[PayoutFacts]:
    money = _money("payout_id", ids, PAYOUT_SUMS)
    history = _history(PayoutEvent, "payout_id", ids)
    actors = defaultdict(set)
    steps = within(PayoutEvent.objects.order_by(), ids, "payout_id")
    for pk, *step in steps.values_list("payout_id", "after", "actor_id"):
        actors[pk].add((step[0], step[1]))
    statement = PayoutStatement._base_manager.filter(
        payout=OuterRef("pk"), name=OuterRef("stated_as"), kind=StatementKind.PAID
    )
    rows = within(payouts, ids).values_list(
        "pk",
        "amount",
        "status",
        "destination__affiliate_id",
        Case(When(~Exists(statement), then=F("stated_as")), default=Value("")),
        "prepared_by_id",
        "approved_by_id",
        "brand_id",
        "affiliate_id",
        "currency",
    )
    for pk, amount, status, *rest in rows:
        yield PayoutFacts(
            id=pk,
            owner=Owner(*rest[4:]),
            amount=amount,
            status=status,
            destination_affiliate_id=rest[0],
            missing_statement=rest[1],
            prepared_by_id=rest[2],
            approved_by_id=rest[3],
            money=PayoutMoney(*money.get(pk, ())),
            history=history[pk],
            actors=actors[pk],
        )


def balance_facts(affiliates: QuerySet[Any], ids: range) -> Iterator[BalanceFacts]:
    """Every account that has a balance or entries, of a range of affiliates."""
    account = ("affiliate_id", "currency", "account")
    of_these = Q(affiliate__in=within(affiliates, ids))
    posted = {
        tuple(key): total
        for *key, total in LedgerEntry.objects.filter(of_these)
        .order_by()
        .values_list(*account)
        .annotate(total=Sum("amount"))
    }
    kept = {
        tuple(key): amount
        for *key, amount in AccountBalance.objects.filter(of_these)
        .order_by()
        .values_list(*account, "amount")
    }
    for key in sorted(posted.keys() | kept.keys()):
        yield BalanceFacts._make((*key, kept.get(key), posted.get(key, 0)))


def _sums_of_reversals(ids: range) -> dict[int, tuple[int, int]]:
    """For each sale: the sum in thousandths, and how many are in another currency."""
    rows = (
        within(SaleReversal._base_manager.all(), ids, "sale_id")
        .values_list("sale_id")
        .annotate(
            total=Sum(_thousandths("net")),
            foreign=Count("pk", filter=~Q(net_currency=F("sale__net_currency"))),
        )
    )
    return {pk: (total, foreign) for pk, total, foreign in rows}


def _thousandths(column: str) -> Cast:
    """Whole numbers: SQLite would sum decimals as floats."""
    scaled = ExpressionWrapper(F(column) * 1000, output_field=BigIntegerField())
    return Cast(Round(scaled), BigIntegerField())


def _sums_of_lines(ids: range) -> dict[int, int]:
    return dict(
        within(CommissionLine._base_manager.all(), ids, "commission_id")
        .values_list("commission_id")
        .annotate(total=Sum("amount"))
    )


def _sums_of_takings(ids: range) -> dict[int, tuple[int, int, int]]:
    """For each commission: what refunds took, and what cancellations of them gave back,
    and how many of its reversals are of another sale."""
    is_given_back = Q(sale_reversal__cancellation__isnull=False)
    rows = (
        within(CommissionReversal._base_manager.all(), ids, "commission_id")
        .values_list("commission_id")
        .annotate(
            taken=Sum("amount", filter=~is_given_back, default=0),
            restored=Sum("amount", filter=is_given_back, default=0),
            foreign=Count(
                "pk", filter=~Q(sale_reversal__sale_id=F("commission__sale_id"))
            ),
        )
    )
    return {pk: (taken, restored, foreign) for pk, taken, restored, foreign in rows}


def _money(column: str, ids: range, sums: Sequence[Q]) -> dict[int, list[int]]:
    """For each commission or payout: the sums of its entries that ``sums`` names."""
    path = f"posting__{column}"
    totals = {
        f"total_{number}": Sum("amount", filter=which, default=0)
        for number, which in enumerate(sums)
    }
    rows = within(LedgerEntry.objects.all(), ids, path).values_list(path)
    return {pk: found for pk, *found in rows.annotate(**totals)}


def _history(
    model: type[Model], column: str, ids: range
) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for pk, before, after in (
        within(model._base_manager.all(), ids, column)
        .order_by(column, "pk")
        .values_list(column, "before", "after")
    ):
        found[pk].append((before, after))
    return found
