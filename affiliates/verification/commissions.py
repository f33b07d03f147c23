"""Commissions beside their sales, lines, steps, payouts and entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    When,
)
from django.db.models.functions import Coalesce, Mod

from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.rules import Account, PostingKind
from affiliates.payouts.rules import PayoutStatus
from affiliates.sales.models import Sale, SaleReversal
from affiliates.verification.faults import (
    Check,
    Differs,
    Faults,
    differ,
    due_in,
    every,
    latest,
    summed,
)

# The statuses of a commission whose rest is on the account; others have nothing left.
STANDING_ON: Mapping[Account, tuple[CommissionStatus, ...]] = {
    Account.PENDING: (CommissionStatus.PENDING, CommissionStatus.MATURED),
    Account.HELD: (CommissionStatus.HELD,),
    Account.PAYABLE: (CommissionStatus.APPROVED, CommissionStatus.PAID),
}
NOT_IN_PAYOUTS = (
    CommissionStatus.PENDING,
    CommissionStatus.MATURED,
    CommissionStatus.HELD,
)
PAYOUT_ENDS = (PayoutStatus.PAID, PayoutStatus.REJECTED, PayoutStatus.RETURNED)
COMMISSION = "Commission {pk}"

_STEPS = every(CommissionEvent).filter(commission=OuterRef("pk"))
_REVERSALS = every(CommissionReversal).filter(commission=OuterRef("pk"))
_IS_RESTORED = Q(sale_reversal__cancellation__isnull=False)
_IS_LIVE = ~Q(status=CommissionStatus.REJECTED)
_IS_IN_PAYOUT = Q(payout__isnull=False)
_IS_PAID = Q(status=CommissionStatus.PAID)


def _sums(commissions: QuerySet[Any]) -> Any:
    return commissions.annotate(
        line_total=summed(every(CommissionLine), "commission", Sum("amount")),
        taken=-summed(every(CommissionReversal), "commission", Sum("amount")),
        last_status=latest(_STEPS, "after"),
    )


def _books(commissions: QuerySet[Any]) -> Any:
    """Its sums in the ledger by kinds of posting and by account, beside its own."""

    def posted(which: Q) -> Sum:
        return Sum("postings__entries__amount", filter=which, default=0)

    def on(*accounts: Account, kind: PostingKind | None = None) -> Q:
        of_kind = Q() if kind is None else Q(postings__kind=kind)
        return of_kind & Q(postings__entries__account__in=accounts)

    reversals = every(CommissionReversal)
    return commissions.annotate(
        taken=-summed(reversals.exclude(_IS_RESTORED), "commission", Sum("amount")),
        restored=summed(reversals.filter(_IS_RESTORED), "commission", Sum("amount")),
        left=F("amount") - F("taken") + F("restored"),
        earned=posted(on(Account.PENDING, kind=PostingKind.EARNED)),
        posted_back=posted(on(Account.EXPENSE, kind=PostingKind.REVERSED)),
        posted_again=posted(on(*STANDING_ON, kind=PostingKind.RESTORED)),
        **{account.value: posted(on(account)) for account in STANDING_ON},
        **{f"due_{on}": due_in(among, "left") for on, among in STANDING_ON.items()},
    )


def _previous_step(steps: QuerySet[Any]) -> Any:
    earlier = every(CommissionEvent).filter(
        commission=OuterRef("commission"), pk__lt=OuterRef("pk")
    )
    return steps.annotate(previous=latest(earlier, "after"))


def _life(commissions: QuerySet[Any]) -> Any:
    """How often it went into a payout or came back.

    Such a step leaves the status, or takes a commission of which nothing is left to its
    end. So does one by a refund, and its cancellation leads back: those are known by
    their number. A paid one comes out when the payout comes back.
    """
    reversed_ = CommissionStatus.REVERSED
    moved = (
        Q(before=F("after"))
        | Q(before=reversed_)
        | Q(after=reversed_)
        | Q(before=CommissionStatus.PAID, after=CommissionStatus.APPROVED)
    )
    moves = summed(every(CommissionEvent).filter(moved), "commission", Count("pk"))
    took = every(CommissionReversal).exclude(amount=0)
    is_in = Case(When(_IS_IN_PAYOUT, then=1), default=0)
    return commissions.annotate(
        changes=summed(every(CommissionReversal), "commission", Count("pk")),
        changes_of_sale=summed(every(SaleReversal), "sale", Count("pk"), of="sale_id"),
        # Even: the refunds are among the moves, and each way in has its way out.
        odd=Mod(moves + summed(took, "commission", Count("pk")) + is_in, 2),
    )


def _was_step_at(column: str) -> Exists:
    return Exists(_STEPS.filter(at=OuterRef(column)))


COMMISSIONS = Faults(
    COMMISSION,
    {
        "is of another brand or currency than its sale.": differ(
            {"brand_id": "sale__brand_id", "currency": "sale__net_currency"}
        ),
        "is of affiliate {affiliate_id}, but its order is credited to "
        "{sale__order_referral__affiliate_id}.": (
            _IS_LIVE
            # Whose a share may be is said by the rules for shares.
            & Q(share_of__isnull=True)
            & Differs("affiliate_id", "sale__order_referral__affiliate_id")
        ),
        "has reversals that belong to another sale.": Exists(
            _REVERSALS.exclude(sale_reversal__sale=OuterRef("sale"))
        ),
        "is {amount}, but its lines sum to {line_total}: nothing explains the "
        "difference.": Differs("amount", "line_total"),
        "is {amount}, but {taken} was taken back of it.": (
            Q(taken__lt=0) | Q(taken__gt=F("amount"))
        ),
        "is reversed, but only {taken} of {amount} is.": (
            Q(status=CommissionStatus.REVERSED) & Differs("taken", "amount")
        ),
        "is {status}, but its last step made it {last_status}.": (
            Differs("status", "last_status")
        ),
        "is paid, but names no payout.": _IS_PAID & Q(payout__isnull=True),
        "is in a payout of another brand, affiliate or currency.": _IS_IN_PAYOUT
        & differ(
            {
                name: f"payout__{name}"
                for name in ("brand_id", "affiliate_id", "currency")
            }
        ),
        "is {status}, but in a payout.": (_IS_IN_PAYOUT & Q(status__in=NOT_IN_PAYOUTS)),
        "is paid, but its payout is {payout__status}.": (
            _IS_PAID & _IS_IN_PAYOUT & ~Q(payout__status=PayoutStatus.PAID)
        ),
        "is approved, but its payout is {payout__status} already.": Q(
            status=CommissionStatus.APPROVED, payout__status__in=PAYOUT_ENDS
        ),
    },
    _sums,
)
BOOKS = Faults(
    COMMISSION,
    {
        "is {amount}, but the books have {earned} as earned.": (
            Differs("amount", "earned")
        ),
        "has reversals of {taken}, but the books took {posted_back} back.": (
            Differs("taken", "posted_back")
        ),
        "had {restored} restored, but by the books {posted_again}.": (
            Differs("restored", "posted_again")
        ),
        **{
            f"is {{status}} with {{left}} left, so {{due_{on}}} must be {on}, but "
            f"{{{on}}} is.": Differs(f"due_{on}", on.value)
            for on in STANDING_ON
        },
    },
    _books,
)
STEPS = Faults(
    "Commission {commission_id}",
    {"went on from {before} when it was {previous}.": Differs("before", "previous")},
    _previous_step,
)
LIVES = Faults(
    COMMISSION,
    {
        "names no version of a plan, so nothing says what it was earned by.": (
            Q(plan_version__isnull=True)
        ),
        "has {changes} reversals, its sale {changes_of_sale}.": (
            _IS_LIVE & Differs("changes", "changes_of_sale")
        ),
        # One that is rejected in a payout leaves it without a step when that is rejected.
        "is in a payout without a step into it, or a step into or out of one is missing.": (
            (_IS_LIVE | _IS_IN_PAYOUT) & ~Q(odd=0)
        ),
        "was reduced by a refund, but has no step of that time.": Exists(
            _REVERSALS.exclude(amount=0).filter(
                ~Exists(
                    every(CommissionEvent).filter(
                        commission=OuterRef("commission"), at=OuterRef("recorded_at")
                    )
                )
            )
        ),
        "is in a payout, but has no step of the time at which that was requested.": (
            _IS_IN_PAYOUT & ~_was_step_at("payout__requested_at")
        ),
        "is paid, but has no step of the time at which its payout was confirmed.": (
            _IS_PAID & ~_was_step_at("payout__finished_at")
        ),
    },
    _life,
)


def _positions(sales: QuerySet[Any]) -> Any:
    """Zero invoices may have become known only after the sale."""
    of_nothing = every(Sale).filter(
        renewal_number__lt=OuterRef("renewal_number"), net__lte=0
    )
    before = summed(of_nothing, "order_referral", Count("pk"), of="order_referral_id")
    is_stated = Q(payment__position__isnull=False, renewal_number__gt=0)
    stated = When(is_stated, then=F("payment__position"))
    return sales.annotate(
        place=Coalesce("position", "renewal_number"),
        least=Case(stated, default=F("renewal_number") - before),
        most=Case(stated, default=F("renewal_number")),
    )


CHECKS = [
    Check(label="commissions", model=Commission, rules=(COMMISSIONS, BOOKS)),
    Check(
        label="steps of commissions",
        model=CommissionEvent,
        rules=(STEPS,),
        brand="commission__brand_id",
    ),
]
DEEP_CHECKS = [
    Check(label="lives of commissions", model=Commission, rules=(LIVES,)),
    Check(
        label="positions of sales",
        model=Sale,
        rules=(
            Faults(
                "Sale {pk}",
                {
                    "has position {place}, but {least} to {most} can be.": (
                        Q(place__lt=F("least")) | Q(place__gt=F("most"))
                    )
                },
                _positions,
            ),
        ),
    ),
]
