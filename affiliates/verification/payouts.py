"""Payouts beside their steps, entries and statements, and the series of statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import (
    BigIntegerField,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Greatest

from affiliates.ledger.rules import Account, PostingKind
from affiliates.payouts.models import Payout, PayoutEvent, PayoutTerms
from affiliates.payouts.rules import PayoutStatus, StatementKind
from affiliates.payouts.statement_models import (
    PayoutStatement,
    StatementGap,
    StatementSeries,
)
from affiliates.verification.faults import (
    Check,
    Differs,
    Faults,
    differ,
    due_in,
    every,
    latest,
)

# The statuses of a payout whose amount is on the account; others have left it.
STANDING_ON: Mapping[Account, tuple[PayoutStatus, ...]] = {
    Account.CLEARING: (
        PayoutStatus.REQUESTED,
        PayoutStatus.APPROVED,
        PayoutStatus.EXPORTED,
    ),
    Account.PAID_OUT: (PayoutStatus.PAID,),
}
# The statuses of a payout that the books have as having ended so.
ENDED: Mapping[PayoutStatus, tuple[PayoutStatus, ...]] = {
    PayoutStatus.PAID: (PayoutStatus.PAID, PayoutStatus.RETURNED),
    PayoutStatus.REJECTED: (PayoutStatus.REJECTED,),
    PayoutStatus.RETURNED: (PayoutStatus.RETURNED,),
}
PAYOUT = "Payout {pk}"

_STEPS = every(PayoutEvent).filter(payout=OuterRef("pk"))
_STATED = every(PayoutStatement).filter(
    payout=OuterRef("pk"), name=OuterRef("stated_as"), kind=StatementKind.PAID
)


def _steps(payouts: QuerySet[Any]) -> Any:
    return payouts.annotate(last_status=latest(_STEPS, "after"))


def _books(payouts: QuerySet[Any]) -> Any:
    """Its sums in the ledger by kinds of posting and by account."""

    def posted(account: Account, kind: PostingKind | None = None) -> Sum:
        of_kind = Q() if kind is None else Q(postings__kind=kind)
        which = of_kind & Q(postings__entries__account=account)
        return Sum("postings__entries__amount", filter=which, default=0)

    return payouts.annotate(
        requested=posted(Account.CLEARING, PostingKind.PAYOUT_REQUESTED),
        paid=posted(Account.PAID_OUT, PostingKind.PAYOUT_PAID),
        rejected=posted(Account.PAYABLE, PostingKind.PAYOUT_REJECTED),
        returned=posted(Account.PAYABLE, PostingKind.PAYOUT_RETURNED),
        **{account.value: posted(account) for account in STANDING_ON},
        **{f"due_{how}": due_in(among, "amount") for how, among in ENDED.items()},
        **{f"due_{on}": due_in(among, "amount") for on, among in STANDING_ON.items()},
    )


def _previous_step(steps: QuerySet[Any]) -> Any:
    earlier = every(PayoutEvent).filter(
        payout=OuterRef("payout"), pk__lt=OuterRef("pk")
    )
    return steps.annotate(previous=latest(earlier, "after"))


def _numbers(series: QuerySet[Any]) -> Any:
    own = Q(statements__brand=F("brand")) & (
        Q(affiliate__isnull=True) | Q(statements__payout__affiliate=F("affiliate"))
    )
    gaps = StatementGap.objects.filter(series=OuterRef("pk")).order_by("-last_number")
    length = F("last_number") - F("first_number") + 1
    total = gaps.order_by().values("series").annotate(total=Sum(length))
    return series.annotate(
        held=Count("statements"),
        own=Count("statements", filter=own),
        left_out=Coalesce(
            Subquery(total.values("total")), 0, output_field=BigIntegerField()
        ),
        numbers=F("held") + F("left_out"),
        highest=Greatest(
            Max("statements__number", default=0),
            Coalesce(
                Subquery(gaps.values("last_number")[:1]),
                0,
                output_field=BigIntegerField(),
            ),
        ),
    )


def _totals(statements: QuerySet[Any]) -> Any:
    """Annotates totals as text: no other type can be read from every document."""
    return statements.annotate(
        total=Cast(KeyTextTransform("total", "document"), TextField()),
        paid=Cast("payout__amount", TextField()),
    )


PAYOUTS = Faults(
    PAYOUT,
    {
        "goes to the destination of another affiliate.": differ(
            {"affiliate_id": "destination__affiliate_id"}
        ),
        "is of a brand whose payout terms are gone: save them as they were.": ~Exists(
            every(PayoutTerms).filter(brand=OuterRef("brand"))
        ),
        "was stated as {stated_as}: that statement is missing.": (
            ~Q(stated_as="") & ~Exists(_STATED)
        ),
        "is {status}, but its last step made it {last_status}.": (
            Differs("status", "last_status")
        ),
        **{
            f"names who made it {status}, but has no such step of that person.": (
                Q(**{f"{who}__isnull": False})
                & ~Exists(_STEPS.filter(after=status, actor=OuterRef(who)))
            )
            for who, status in (
                ("prepared_by", PayoutStatus.REQUESTED),
                ("approved_by", PayoutStatus.APPROVED),
            )
        },
    },
    _steps,
)
BOOKS = Faults(
    PAYOUT,
    {
        "is {amount}, but the books have {requested} as requested.": (
            Differs("amount", "requested")
        ),
        **{
            f"is {{status}}, so {{due_{how}}} must be {how}, but the books have "
            f"{{{how}}}.": Differs(f"due_{how}", how.value)
            for how in ENDED
        },
        **{
            f"is {{status}}, so {{due_{on}}} must be {on}, but {{{on}}} is.": (
                Differs(f"due_{on}", on.value)
            )
            for on in STANDING_ON
        },
    },
    _books,
)
STEPS = Faults(
    "Payout {payout_id}",
    {"went on from {before} when it was {previous}.": Differs("before", "previous")},
    _previous_step,
)
SERIES = Faults(
    "Statement series {pk}",
    {
        "has given {last_number} numbers, but holds {held} statements up to {highest}, "
        "and left out {left_out} after restores: one is missing or was never given.": (
            Differs("last_number", "numbers") | Differs("last_number", "highest")
        ),
        "holds a statement of another brand or affiliate.": Differs("own", "held"),
    },
    _numbers,
)
STATEMENTS = Faults(
    "Statement {pk} ({name})",
    {
        "is not of the brand, amount and currency of its payout.": (
            differ({"brand_id": "payout__brand_id", "currency": "payout__currency"})
            | Q(kind=StatementKind.PAID) & ~Q(amount=F("payout__amount"))
            | ~Q(kind=StatementKind.PAID) & ~Q(amount=-F("payout__amount"))
        ),
        "prints a total of {total}, but its payout is {payout__amount}.": (
            Differs("total", "paid")
        ),
        "states a payout that is {payout__status}.": (
            ~Q(payout__status=PayoutStatus.RETURNED)
            & ~Q(kind=StatementKind.PAID, payout__status=PayoutStatus.PAID)
        ),
    },
    _totals,
)

CHECKS = [
    Check(label="payouts", model=Payout, rules=(PAYOUTS, BOOKS)),
    Check(
        label="steps of payouts",
        model=PayoutEvent,
        rules=(STEPS,),
        brand="payout__brand_id",
    ),
    Check(label="statement series", model=StatementSeries, rules=(SERIES,)),
    Check(label="statements", model=PayoutStatement, rules=(STATEMENTS,)),
]
