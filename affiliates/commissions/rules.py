"""The life of a commission: which step may follow which, and what each moves. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from moneyed import Money

from affiliates.core.enums import LabelledEnum
from affiliates.core.money import from_minor, to_minor
from affiliates.ledger.rules import Account, PostingKind
from affiliates.sales.rules import SaleReason, SaleStatus, reversal_amount

MAX_NOTE = 255
# An affiliate's adjustment with this key is its joining bonus: there is one at most.
JOINING_KEY = "joining:{}"


class CommissionStatus(LabelledEnum):
    PENDING = "pending", "Pending"
    MATURED = "matured", "Waiting for approval"
    HELD = "held", "Held"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    PAID = "paid", "Paid"
    REVERSED = "reversed", "Reversed"

    @property
    def account(self) -> Account:
        """The account holding the remaining amount while it has this status."""
        return _ACCOUNTS[self]

    @property
    def is_live(self) -> bool:
        return self is not CommissionStatus.REJECTED


_ACCOUNTS: Mapping[CommissionStatus, Account] = MappingProxyType(
    {
        CommissionStatus.PENDING: Account.PENDING,
        CommissionStatus.MATURED: Account.PENDING,
        CommissionStatus.HELD: Account.HELD,
        CommissionStatus.APPROVED: Account.PAYABLE,
        # Beyond the payout a commission has no account: what is taken back of it is owed.
        CommissionStatus.PAID: Account.PAYABLE,
        CommissionStatus.REJECTED: Account.EXPENSE,
        CommissionStatus.REVERSED: Account.EXPENSE,
    }
)
_KIND_INTO: Mapping[Account, PostingKind] = MappingProxyType(
    {
        Account.PENDING: PostingKind.RELEASED,
        Account.HELD: PostingKind.HELD,
        Account.PAYABLE: PostingKind.APPROVED,
        Account.EXPENSE: PostingKind.REJECTED,
    }
)


class StepReason(LabelledEnum):
    """Why a commission took a step. A label is filled from the details kept with it."""

    EARNED = "earned", "Earned {amount} by {version}."
    EARNS_NOTHING = "earns_nothing", "Earns nothing by the plan."
    WAITS = "waits", "Waits for the end of its hold."
    HOLD_IS_OVER = "hold_is_over", "The hold is over."
    NO_HOLD = "no_hold", "The plan holds it for no time."
    WAITS_FOR_STAFF = "waits_for_staff", "The hold is over: staff approve it."
    SERVICE_HAS_ENDED = (
        "service_has_ended",
        "The service ended before the hold was over.",
    )
    DECISION_HELD = "decision_held", SaleReason.DECISION_HELD.label
    AFFILIATE_NOT_ACTIVE = (
        "affiliate_not_active",
        SaleReason.AFFILIATE_NOT_ACTIVE.label,
    )
    FRAUD_SIGNALS = "fraud_signals", "{signals}"
    STAFF = "staff", "{note}"
    GIVEN_AWAY = "given_away", "The order was given to {affiliate}: {note}"
    GIVEN_TO_NOBODY = "given_to_nobody", "The order was given to nobody: {note}"
    IN_PAYOUT = "in_payout", "In payout {payout}."
    PAYOUT_REJECTED = "payout_rejected", "Payout {payout} was rejected."
    PAID = "paid", "Paid by payout {payout}."
    PAYOUT_RETURNED = "payout_returned", "Payout {payout} came back."
    REFUND = "refund", "Refund {refund} took {amount} back."
    CHARGEBACK = "chargeback", "Chargeback {refund} took {amount} back."
    TAKEN_BACK = "taken_back", "Refunds took all of it back."
    SHARED = "shared", "Earned {amount}: {percent} % of commission {commission}."
    FOLLOWS = "follows", "As the commission that it is a share of."


class Why(NamedTuple):
    """A reason with its details: plain values that its sentence is made of."""

    reason: StepReason
    details: Mapping[str, Any] = MappingProxyType({})


class StaffAction(LabelledEnum):
    APPROVE = "approve", "Approve"
    HOLD = "hold", "Hold"
    RELEASE = "release", "Release"
    REJECT = "reject", "Reject"

    @property
    def result(self) -> CommissionStatus:
        return _STAFF_STEPS[self].result

    def allows(self, status: CommissionStatus, *, is_in_payout: bool) -> bool:
        """Whether staff may do it; never to what is in a payout."""
        return not is_in_payout and status in _STAFF_STEPS[self].allowed


class _StaffStep(NamedTuple):
    allowed: Sequence[CommissionStatus]
    result: CommissionStatus


_UNPAID = (
    CommissionStatus.PENDING,
    CommissionStatus.MATURED,
    CommissionStatus.APPROVED,
)
# Where a share goes along; payouts and refunds have steps of its own for it.
_SHARED_STEPS = (*_UNPAID, CommissionStatus.HELD)
_STAFF_STEPS: Mapping[StaffAction, _StaffStep] = MappingProxyType(
    {
        StaffAction.APPROVE: _StaffStep(
            [CommissionStatus.MATURED], CommissionStatus.APPROVED
        ),
        StaffAction.HOLD: _StaffStep(_UNPAID, CommissionStatus.HELD),
        StaffAction.RELEASE: _StaffStep(
            [CommissionStatus.HELD], CommissionStatus.PENDING
        ),
        StaffAction.REJECT: _StaffStep(
            [*_UNPAID, CommissionStatus.HELD], CommissionStatus.REJECTED
        ),
    }
)


class Judgement(NamedTuple):
    """The status a commission gets, and why."""

    status: CommissionStatus
    why: Why


class Way(NamedTuple):
    """What a step is in the books: the kind of its posting and the accounts it joins."""

    kind: PostingKind
    source: Account
    target: Account


def way_of(before: CommissionStatus | None, after: CommissionStatus) -> Way | None:
    """The way of what is left of a commission. ``before`` is None while it is new.

    None where the step moves no money.
    """
    if before is None:
        return Way(PostingKind.EARNED, Account.EXPENSE, after.account)
    if before.account is after.account:
        return None
    return Way(_KIND_INTO[after.account], before.account, after.account)


def judge_first(
    *,
    amount: int,
    sale: tuple[SaleStatus, SaleReason],
    declined: Sequence[str],
    held: Sequence[str],
    hold_days: int,
    approves_itself: bool,
) -> Judgement:
    """What a new commission is. ``declined`` and ``held`` are the codes of fraud signals.

    A commission of nothing needs nobody's approval: there is nothing to pay.
    """
    sale_status, sale_reason = sale
    if amount == 0:
        return Judgement(CommissionStatus.APPROVED, Why(StepReason.EARNS_NOTHING))
    if declined:
        return Judgement(CommissionStatus.REJECTED, _signals(declined))
    if sale_status is SaleStatus.HELD:
        return Judgement(CommissionStatus.HELD, Why(StepReason(sale_reason)))
    if held:
        return Judgement(CommissionStatus.HELD, _signals(held))
    if hold_days > 0:
        return Judgement(CommissionStatus.PENDING, Why(StepReason.WAITS))
    if approves_itself:
        return Judgement(CommissionStatus.APPROVED, Why(StepReason.NO_HOLD))
    return Judgement(CommissionStatus.MATURED, Why(StepReason.WAITS_FOR_STAFF))


def _signals(codes: Sequence[str]) -> Why:
    return Why(StepReason.FRAUD_SIGNALS, {"signals": list(codes)})


def judge_mature(*, approves_itself: bool, service_is_active: bool | None) -> Judgement:
    """What a commission becomes when its hold is over. None: the host cannot say."""
    if service_is_active is False:
        return Judgement(CommissionStatus.REJECTED, Why(StepReason.SERVICE_HAS_ENDED))
    if approves_itself:
        return Judgement(CommissionStatus.APPROVED, Why(StepReason.HOLD_IS_OVER))
    return Judgement(CommissionStatus.MATURED, Why(StepReason.WAITS_FOR_STAFF))


def judge_share(
    share: CommissionStatus,
    reason: StepReason,
    *,
    is_in_payout: bool,
    step: tuple[CommissionStatus, CommissionStatus],
) -> CommissionStatus:
    """What a share becomes by its commission's step from one status to another.

    It is rejected with it, also where it is paid. Otherwise it goes along only from where
    the commission was: what staff did to the share alone is left to them, and so is what
    is in a payout.
    """
    before, after = step
    if after is CommissionStatus.REJECTED:
        return after
    is_payouts = before is CommissionStatus.PAID or after not in _SHARED_STEPS
    if is_in_payout or before is after or is_payouts:
        return share
    if after is CommissionStatus.HELD:
        return after if share in _UNPAID else share
    if share is CommissionStatus.HELD:
        is_freed = before is share and reason is StepReason.FOLLOWS
        return after if is_freed else share
    return after if share in (before, CommissionStatus.PENDING) else share


def judge_reversed(
    status: CommissionStatus, *, left: int, is_in_payout: bool
) -> CommissionStatus:
    """The status after a refund that left so much. What is paid or on its way stays so."""
    if left > 0 or is_in_payout or status is CommissionStatus.PAID:
        return status
    return CommissionStatus.REVERSED


def taken_back(
    *,
    amount: int,
    currency: str,
    paid_gross: Money,
    refunded_before: Money,
    refund: Money,
) -> int:
    """How many minor units of the commission a refund takes back.

    In the proportion of the sale: see ``affiliates.sales.rules.reversal_amount``.
    """
    taken = reversal_amount(
        sale_net=from_minor(amount, currency),
        paid_gross=paid_gross,
        refunded_before=refunded_before,
        refund=refund,
    )
    return to_minor(taken)
