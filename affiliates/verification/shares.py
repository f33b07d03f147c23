"""Shares of recruiters beside the commissions that they are of, and joining bonuses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import orjson
from django.db.models import F, Min, OuterRef, Q, QuerySet, Subquery, Sum

from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import JOINING_KEY, CommissionStatus
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import PostingKind
from affiliates.plans.rules.computation import is_sound
from affiliates.program.models import Affiliate
from affiliates.verification.faults import (
    DOCUMENTS_AT_ONCE,
    Check,
    Faults,
    RowFaults,
    differ,
    every,
    json_text,
    summed,
    within,
)

_ORIGIN = ("brand_id", "sale_id", "currency", "plan_version_id", "earned_at")
_APPROVALS = every(CommissionEvent).filter(after=CommissionStatus.APPROVED)
_REJECTED = CommissionStatus.REJECTED


def _approvals(shares: QuerySet[Any]) -> Any:
    """By ids, which are in order under the locks: machines' clocks may differ."""

    def first(commission: str) -> Subquery:
        steps = _APPROVALS.filter(commission=OuterRef(commission)).order_by("pk")
        return Subquery(steps.values("pk")[:1])

    return shares.annotate(approval=first("pk"), own_approval=first("share_of"))


SHARES = Faults(
    "Commission {pk}",
    {
        "is a share of commission {share_of_id}, which is a share: only one level "
        "earns.": Q(share_of__share_of__isnull=False),
        "is of another brand, sale, currency, plan version or time than commission "
        "{share_of_id}, which it is a share of.": (
            differ({column: f"share_of__{column}" for column in _ORIGIN})
        ),
        "is a share of commission {share_of_id} for the affiliate who earned that.": (
            Q(affiliate=F("share_of__affiliate"))
        ),
        "was approved before commission {share_of_id}, which it is a share of.": (
            Q(approval__isnull=False, own_approval__isnull=True)
            | Q(approval__lt=F("own_approval"))
        ),
        "is {status}, but commission {share_of_id}, which it is a share of, is "
        "rejected.": ~Q(status=_REJECTED) & Q(share_of__status=_REJECTED),
    },
    _approvals,
)


def _refunds(shares: QuerySet[Any], _ids: range) -> RowFaults:
    """Not in SQL: products of two amounts may not fit into its integers."""
    live = shares.exclude(status=_REJECTED).exclude(share_of__status=_REJECTED)
    reversals = every(CommissionReversal)
    for pk, *amounts in live.values_list(
        "pk",
        "amount",
        -summed(reversals, "commission", Sum("amount")),
        "share_of__amount",
        -summed(reversals, "commission", Sum("amount"), of="share_of_id"),
        "share_of_id",
    ):
        yield f"Commission {pk}", _refund_faults(*map(int, amounts))


def _refund_faults(
    amount: int, taken: int, of_amount: int, of_taken: int, of_id: int
) -> Iterator[str]:
    # Both are rounded to whole units, and a share is no more than what it is of.
    is_whole = of_taken == of_amount and taken != amount
    if is_whole or abs(taken * of_amount - of_taken * amount) > of_amount:
        yield (
            f"had {taken} of {amount} taken back, but commission {of_id} {of_taken} of "
            f"{of_amount}."
        )


def _receipts_of(shares: QuerySet[Any]) -> Mapping[int, Sequence[str]]:
    receipts = defaultdict(list)
    lines = every(CommissionLine).filter(commission__in=shares.values("pk"))
    for pk, receipt in lines.values_list("commission_id", json_text("receipt")):
        receipts[pk].append(receipt)
    return receipts


def _receipts(shares: QuerySet[Any], _ids: range) -> RowFaults:
    receipts = _receipts_of(shares)
    for pk, *columns in shares.values_list(
        "pk",
        "share_of_id",
        "share_of__amount",
        "currency",
        json_text("plan_version__terms"),
        "plan_version__number",
        "amount",
    ):
        yield f"Commission {pk}", _receipt_faults(receipts[pk], *columns)


def _receipt_faults(receipts: Sequence[str], *recorded: Any) -> Iterator[str]:
    if len(receipts) != 1:
        yield f"has {len(receipts)} lines: a share has one."
        return
    receipt = orjson.loads(receipts[0])
    inputs = receipt["inputs"]
    of_id, earned, currency, terms, version, amount = recorded
    # Not by the database: SQLite reads a JSON text of digits as a float.
    percent = orjson.loads(terms or "{}").get("recruiter_percent")
    for name, value, must in (
        ("commission", inputs["commission"], of_id),
        ("commission of", inputs["earned"], earned),
        ("currency", inputs["currency"], currency),
        ("percent", Decimal(inputs["percent"]), Decimal(percent or 0)),
        ("version", receipt["plan"]["version"], version),
        ("amount", receipt["amount"], amount),
    ):
        if value != must:
            yield f"has a receipt with {name} {value}, but {must} is on record."


def _recomputed(shares: QuerySet[Any], _ids: range) -> RowFaults:
    for pk, receipts in _receipts_of(shares).items():
        yield f"Commission {pk}", _unsound(receipts)


def _unsound(receipts: Sequence[str]) -> Iterator[str]:
    for receipt in receipts:
        if not is_sound(orjson.loads(receipt)):
            yield "has a receipt that does not follow from its inputs."


class Bonus(NamedTuple):
    key: str
    kind: str
    currency: str
    amount: int
    at: datetime

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} at {self.at}"


def _joining(affiliates: QuerySet[Any], ids: range) -> RowFaults:
    """Each has the bonus of the plan version of its first approved commission."""
    given = defaultdict(list)
    bonuses = within(every(Adjustment), ids, "affiliate_id").filter(
        key__startswith=JOINING_KEY.format("")
    )
    for affiliate_id, *bonus in bonuses.order_by("pk").values_list(
        "affiliate_id", "key", "kind", "currency", "amount", "at"
    ):
        given[affiliate_id].append(Bonus(*bonus))
    approved = every(LedgerPosting).filter(
        kind=PostingKind.APPROVED, commission__share_of__isnull=True
    )
    firsts = (
        within(approved, ids, "commission__affiliate_id")
        .values("commission__affiliate_id")
        .annotate(first=Min("pk"))
    )
    due = {
        row[0]: row[1:]
        for row in every(LedgerPosting)
        .filter(pk__in=firsts.values("first"))
        .values_list(
            "commission__affiliate_id",
            "commission__plan_version__terms__joining_bonus",
            "commission__currency",
            "posted_at",
        )
    }
    for pk, code in affiliates.values_list("pk", "code"):
        faults = _joining_faults(pk, given[pk], *due.get(pk, (None, "", None)))
        yield f"Affiliate {pk} ({code})", faults


def _joining_faults(
    pk: int,
    given: Sequence[Bonus],
    promised: Mapping[str, int] | None,
    currency: str,
    approved_at: datetime | None,
) -> Iterator[str]:
    expected = []
    if approved_at is not None and currency in (promised or {}):
        amount = (promised or {})[currency]
        key = JOINING_KEY.format(pk)
        expected = [Bonus(key, PostingKind.BONUS, currency, amount, approved_at)]
    if given != expected:
        given_, due = (" and ".join(map(str, bonus)) for bonus in (given, expected))
        yield (
            f"was given a joining bonus of {given_ or 'nothing'}, but {due or 'nothing'} "
            "is due by the first commission that was approved."
        )


_IS_SHARE = Q(share_of__isnull=False)

CHECKS = [
    Check(
        label="shares of recruiters",
        model=Commission,
        only=_IS_SHARE,
        rules=(SHARES, _refunds, _receipts),
        at_once=DOCUMENTS_AT_ONCE,
    ),
]
DEEP_CHECKS = [
    Check(
        label="shares recomputed",
        model=Commission,
        only=_IS_SHARE,
        rules=(_recomputed,),
        at_once=DOCUMENTS_AT_ONCE,
        reads=((Commission, "id"), (CommissionLine, "commission_id")),
    ),
    Check(
        label="joining bonuses",
        model=Affiliate,
        rules=(_joining,),
        at_once=DOCUMENTS_AT_ONCE,
    ),
]
