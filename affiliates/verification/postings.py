"""Postings beside their entries and causes, adjustments, and balances."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Concat
from django.db.models.lookups import Exact

from affiliates.commissions.models import (
    Adjustment,
    CommissionEvent,
    CommissionReversal,
)
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import ADJUSTMENT_KINDS, PATHS, PAYOUT_KINDS, PostingKind
from affiliates.payouts.models import PayoutEvent
from affiliates.payouts.rules import PayoutStatus
from affiliates.verification.faults import (
    Check,
    Differs,
    Faults,
    differ,
    every,
    summed,
)
from affiliates.verification.program import BALANCE

POSTING = "Posting {pk} ({key})"
OF_REFUNDS = (PostingKind.REVERSED, PostingKind.RESTORED)
OWNER = ("brand_id", "affiliate_id", "currency")
WAYS = [
    f"{kind} {source} {target}"
    for kind, path in PATHS.items()
    for source in path.sources
    for target in path.targets
]
# What a posting of a kind must name: this, and neither of the others.
OF_KIND = {
    "commission": ~Q(kind__in=PAYOUT_KINDS | ADJUSTMENT_KINDS),
    "payout": Q(kind__in=PAYOUT_KINDS),
    "adjustment": Q(kind__in=ADJUSTMENT_KINDS),
}
_IS_EXPLAINED = reduce(
    or_,
    (
        of_kind & Q(**{f"{other}__isnull": other != name for other in OF_KIND})
        for name, of_kind in OF_KIND.items()
    ),
)
# The status that a payout's step led to, by the kind of its posting.
LED_TO = {
    PostingKind.PAYOUT_REQUESTED: PayoutStatus.REQUESTED,
    PostingKind.PAYOUT_PAID: PayoutStatus.PAID,
    PostingKind.PAYOUT_REJECTED: PayoutStatus.REJECTED,
    PostingKind.PAYOUT_RETURNED: PayoutStatus.RETURNED,
}
# The first of two approvals leaves the status as it is, and posts nothing.
_LED = (
    every(PayoutEvent)
    .filter(payout=OuterRef("payout"), after=OuterRef("status"))
    .exclude(before=F("after"))
)
# The column that ends the key of a posting, and the time that it was posted at.
CAUSES = {
    CommissionEvent: ("pk", "at"),
    CommissionReversal: ("sale_reversal_id", "recorded_at"),
}


def _entries(postings: QuerySet[Any]) -> Any:
    """With its entries' sums, and the owner of what it is for."""
    owner = {
        f"of_{column}": Coalesce(*(f"{name}__{column}" for name in OF_KIND))
        for column in OWNER
    }
    return postings.annotate(
        **owner,
        count=Count("entries__pk"),
        total=Sum("entries__amount", default=0),
        source=Max("entries__account", filter=Q(entries__amount__lt=0)),
        target=Max("entries__account", filter=Q(entries__amount__gt=0)),
        affiliate_id=Min("entries__affiliate_id"),
        other_affiliate_id=Max("entries__affiliate_id"),
        currency=Min("entries__currency"),
        other_currency=Max("entries__currency"),
        way=Concat("kind", Value(" "), "source", Value(" "), "target"),
    )


def _causes(postings: QuerySet[Any]) -> Any:
    """When the step, refund or adjustment happened that the posting's key names."""
    of_commission = Concat(
        Value("commission:"), _text("commission"), Value(":"), "kind", Value(":")
    )
    of_payout = Concat(Value("payout:"), _text("payout"), Value(":"), "kind")
    return postings.annotate(
        prefix=of_commission,
        status=Case(*(When(kind=kind, then=Value(to)) for kind, to in LED_TO.items())),
        at=Case(
            When(
                Q(key=Concat(Value("adjustment:"), "adjustment__key")),
                then=F("adjustment__at"),
            ),
            When(adjustment__isnull=False, then=None),
            When(kind__in=OF_REFUNDS, then=_time_of(CommissionReversal)),
            When(Q(key=of_payout), then=Subquery(_LED.values("at")[:1])),
            default=_time_of(CommissionEvent),
        ),
    )


def _time_of(model: type[CommissionReversal] | type[CommissionEvent]) -> Subquery:
    """Returns the time of the commission's row whose number ends the posting's key."""
    number, at = CAUSES[model]
    named = Concat(OuterRef("prefix"), _text(number))
    rows = every(model).filter(Q(Exact(named, OuterRef("key"))))
    return Subquery(rows.filter(commission=OuterRef("commission")).values(at)[:1])


def _text(column: str) -> Cast:
    return Cast(column, CharField())


def _posted(adjustments: QuerySet[Any]) -> Any:
    # By themselves: an adjustment whose posting is gone must be found as well.
    posting = every(LedgerPosting).filter(pk=OuterRef("posting_id"))
    entries = every(LedgerEntry)
    return adjustments.annotate(
        posted_kind=Subquery(posting.values("kind")[:1]),
        posted=summed(entries, "posting", Max("amount"), of="posting_id"),
    )


def _account_sum(balances: QuerySet[Any]) -> Any:
    """One row of each account, beside all its parts and all its entries."""
    of_account = {column: OuterRef(column) for column in ("currency", "account")}
    kept, posted = (
        summed(
            every(model).filter(**of_account),
            "affiliate",
            Sum("amount"),
            of="affiliate_id",
        )
        for model in (AccountBalance, LedgerEntry)
    )
    parts = every(AccountBalance).filter(affiliate=OuterRef("affiliate"), **of_account)
    earlier = parts.filter(part__lt=OuterRef("part"))
    return balances.filter(~Exists(earlier)).annotate(kept=kept, posted=posted)


POSTINGS = Faults(
    POSTING,
    {
        "has {count} entries, not two: money has no other side.": ~Q(count=2),
        "sums to {total}, not to zero: money came from or went nowhere.": ~Q(total=0),
        "has entries in two currencies.": (Differs("currency", "other_currency")),
        "has entries of two affiliates.": (
            Differs("affiliate_id", "other_affiliate_id")
        ),
        "is of an unknown kind, {kind}.": ~Q(kind__in=PATHS),
        "goes from {source} to {target}: {kind} money does not go that way.": (
            Q(kind__in=PATHS) & ~Q(way__in=WAYS)
        ),
        **{
            f"must name one {name} and nothing else, but does not.": (
                of_kind & ~_IS_EXPLAINED
            )
            for name, of_kind in OF_KIND.items()
        },
        "has another brand, affiliate or currency than the row it names.": (
            _IS_EXPLAINED & differ({column: f"of_{column}" for column in OWNER})
        ),
    },
    _entries,
)
ORIGINS = Faults(
    POSTING,
    {
        "names no step, refund or adjustment that is on record.": Q(at__isnull=True),
        "was posted at {posted_at}, its step was taken at {at}.": (
            Q(at__isnull=False) & Differs("at", "posted_at")
        ),
    },
    _causes,
)
ADJUSTMENTS = Faults(
    "Adjustment {pk}",
    {
        "is {kind} of {amount}, but the books have {posted_kind} of {posted}.": differ(
            {"kind": "posted_kind", "amount": "posted"}
        ),
        "ends something else than a held bonus of its affiliate and amount.": (
            Q(ends__isnull=False)
            & (
                ~Q(ends__kind=PostingKind.BONUS_HELD)
                | differ({column: f"ends__{column}" for column in (*OWNER, "amount")})
            )
        ),
    },
    _posted,
)
BALANCES = Faults(
    BALANCE,
    {
        "is kept as {kept}, but its entries sum to {posted}: rebuild the balances.": (
            Differs("kept", "posted")
        )
    },
    _account_sum,
)

CHECKS = [
    Check(label="adjustments", model=Adjustment, rules=(ADJUSTMENTS,)),
    Check(label="postings", model=LedgerPosting, rules=(POSTINGS,)),
    Check(
        label="balances",
        model=AccountBalance,
        rules=(BALANCES,),
        brand="affiliate__brand_id",
    ),
]
DEEP_CHECKS = [
    Check(label="origins of postings", model=LedgerPosting, rules=(ORIGINS,)),
]
