"""Amounts that affiliates gave up or forfeited by leaving, and what is deducted of them now.

Each commission and held bonus is followed by itself: money that came into the balance
otherwise, or later, is never deducted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Coalesce, Least

from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.models import Adjustment, Commission, CommissionReversal
from affiliates.commissions.rules import NOT_OVER, CommissionStatus
from affiliates.commissions.selectors import with_taken_back
from affiliates.ledger.rules import PostingKind
from affiliates.program.history_models import AffiliateDeparture

# The keys of the adjustments of one departure begin with it.
KEY = "left:{}:"
_WAITING = (*NOT_OVER, CommissionStatus.MATURED)
Changes = Mapping[int, int]


class ForfeitState(NamedTuple):
    """A forfeited amount, in minor units.

    ``left`` is what refunds, staff and decisions leave of it, and ``payable`` the part
    of that which has become payable; both are None for the rest of a balance. ``taken``
    is the sum deducted so far.
    """

    pk: int
    amount: int
    left: int | None
    payable: int | None
    taken: int


def judge_deductions(parts: Sequence[ForfeitState], *, is_open: bool) -> Changes:
    """Returns the change of what is deducted for each: below zero, to give back.

    ``parts`` are those of one departure and currency. After staff took the affiliate
    back nothing more is deducted, but what refunds take is still given back.
    """
    due = {}
    for part in parts:
        if part.payable is not None:
            most = part.amount if is_open else min(part.amount, part.taken)
            due[part.pk] = min(most, part.payable)
    for part in parts:
        if part.payable is None:
            due[part.pk] = max(part.amount, -sum(due.values()))
    changes = {part.pk: due[part.pk] - part.taken for part in parts}
    return {pk: change for pk, change in changes.items() if change}


def named_amounts(affiliate_id: int, currency: str) -> Iterator[ForfeitedAmount]:
    """The unpaid commissions and held bonuses, without what was deducted before."""
    unpaid = Q(status=CommissionStatus.APPROVED, payout__isnull=True)
    commissions = with_taken_back(
        Commission.objects.filter(
            Q(status__in=_WAITING) | unpaid,
            affiliate_id=affiliate_id,
            currency=currency,
        )
    ).annotate(
        unpaid=F("amount")
        + F("taken_back")
        - _total(ForfeitDeduction.objects.all(), "forfeited__commission")
    )
    for commission in commissions.filter(unpaid__gt=0).order_by("pk"):
        yield ForfeitedAmount(
            commission=commission, currency=currency, amount=commission.unpaid
        )
    held = Adjustment.objects.filter(
        affiliate_id=affiliate_id, currency=currency, kind=PostingKind.BONUS_HELD
    )
    for bonus in held.filter(end__isnull=True).order_by("pk"):
        yield ForfeitedAmount(bonus=bonus, currency=currency, amount=bonus.amount)


def affiliates_to_settle() -> QuerySet[Any, int]:
    """Ids of the affiliates of whom something is to be deducted or given back."""
    rows = _with_states(ForfeitedAmount.objects.all()).filter(payable__isnull=False)
    due = Least("amount", "payable")
    changed = Q(taken__gt=due) | Q(taken__lt=due, departure__ended_at__isnull=True)
    return (
        rows.filter(changed)
        .order_by("departure__affiliate_id")
        .values_list("departure__affiliate_id", flat=True)
        .distinct()
    )


def changes_due(affiliate_id: int) -> Iterator[tuple[AffiliateDeparture, str, Changes]]:
    """By departure and currency the changes to post now: see ``judge_deductions``."""
    for departure, currency, parts in _parts_of(affiliate_id):
        changes = judge_deductions(parts, is_open=departure.ended_at is None)
        if changes:
            yield departure, currency, changes


def payable_deductions(affiliate_id: int) -> dict[str, int]:
    """By currency what is to be deducted of the payable balance now."""
    return _sums((row[1], row[2]) for row in changes_due(affiliate_id))


def left_to_forfeit(affiliate_id: int) -> dict[str, int]:
    """By currency what will be deducted of an affiliate that left, if nothing changes."""
    return _sums(
        (currency, judge_deductions([_matured(part) for part in parts], is_open=True))
        for departure, currency, parts in _parts_of(affiliate_id)
        if departure.ended_at is None
    )


def _matured(part: ForfeitState) -> ForfeitState:
    return part._replace(payable=part.left)


def _sums(changes: Iterable[tuple[str, Changes]]) -> dict[str, int]:
    sums: defaultdict[str, int] = defaultdict(int)
    for currency, amounts in changes:
        sums[currency] += sum(amounts.values())
    return sums


def _parts_of(
    affiliate_id: int,
) -> Iterator[tuple[AffiliateDeparture, str, list[ForfeitState]]]:
    departures = AffiliateDeparture.objects.filter(affiliate_id=affiliate_id)
    for departure in departures.order_by("pk"):
        parts: defaultdict[str, list[ForfeitState]] = defaultdict(list)
        for currency, *columns in _with_states(departure.amounts.all()).values_list(
            "currency", *ForfeitState._fields
        ):
            parts[currency].append(ForfeitState(*columns))
        for currency in sorted(parts):
            yield departure, currency, parts[currency]


def _with_states(amounts: QuerySet[ForfeitedAmount]) -> QuerySet[Any]:
    """Annotates the columns of ``ForfeitState``."""
    ended = Adjustment.objects.filter(ends=OuterRef("bonus"))
    withdrawn = ended.filter(kind=PostingKind.BONUS_WITHDRAWN)
    is_rest = Q(commission__isnull=True, bonus__isnull=True)
    is_gone = Q(commission__status=CommissionStatus.REJECTED) | Exists(withdrawn)
    is_waiting = Q(commission__status__in=_WAITING) | (
        Q(bonus__isnull=False) & ~Exists(ended)
    )
    taken_back = _total(CommissionReversal.objects.all(), "commission", "commission")
    left = When(commission__isnull=False, then=F("commission__amount") + taken_back)
    return amounts.annotate(
        left=Case(
            When(is_rest, then=None),
            When(is_gone, then=0),
            left,
            default=F("bonus__amount"),
            output_field=BigIntegerField(),
        ),
        payable=Case(
            When(is_waiting, then=0), default=F("left"), output_field=BigIntegerField()
        ),
        taken=_total(ForfeitDeduction.objects.all(), "forfeited"),
    )


def _total(rows: QuerySet[Any], by: str, of: str = "pk") -> Coalesce:
    sums = rows.filter(**{by: OuterRef(of)}).order_by().values(by)
    total = Subquery(sums.annotate(total=Sum("amount")).values("total"))
    return Coalesce(total, 0, output_field=BigIntegerField())
