"""The life of a commission: allowed steps, and the money that each moves. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.ledger.rules import Account, PostingKind
from affiliates.sales.rules import SaleReason, SaleStatus

MAX_NOTE = 255
# The key of an affiliate's joining bonus: there is at most one.
JOINING_KEY = "joining:{}"


class CommissionStatus(TextChoices):
    PENDING = "pending", _("Pending")
    MATURED = "matured", _("Waiting for approval")
    HELD = "held", _("Held")
    APPROVED = "approved", _("Approved")
    REJECTED = "rejected", _("Rejected")
    PAID = "paid", _("Paid")
    REVERSED = "reversed", _("Reversed")

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
        # A paid commission has no account: what is taken back from it is owed.
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


class StepReason(TextChoices):
    """Why a commission took a step. A label is filled from the stored details."""

    EARNED = "earned", _("Earned {amount} by {version}.")
    EARNS_NOTHING = "earns_nothing", _("Earns nothing by the plan.")
    WAITS = "waits", _("Waits for the end of its hold.")
    HOLD_IS_OVER = "hold_is_over", _("The hold is over.")
    NO_HOLD = "no_hold", _("Approved immediately: this plan has no hold.")
    NO_TERM_HOLD = "no_term_hold", _("Approved at once: {cycles} billing has no hold.")
    WAITS_FOR_STAFF = "waits_for_staff", _("The hold is over: staff approve it.")
    SERVICE_HAS_ENDED = (
        "service_has_ended",
        _("The service ended before the hold was over."),
    )
    DECISION_HELD = "decision_held", SaleReason.DECISION_HELD.label
    AFFILIATE_NOT_ACTIVE = (
        "affiliate_not_active",
        SaleReason.AFFILIATE_NOT_ACTIVE.label,
    )
    BRAND_INACTIVE = "brand_inactive", SaleReason.BRAND_INACTIVE.label
    AFFILIATE_LEFT = "affiliate_left", SaleReason.AFFILIATE_LEFT.label
    FRAUD_SIGNALS = "fraud_signals", "{signals}"
    STAFF = "staff", "{note}"
    GIVEN_AWAY = "given_away", _("The order was given to {affiliate}: {note}")
    GIVEN_TO_NOBODY = "given_to_nobody", _("The order was given to nobody: {note}")
    IN_PAYOUT = "in_payout", _("In payout {payout}.")
    PAYOUT_REJECTED = "payout_rejected", _("Payout {payout} was rejected.")
    PAID = "paid", _("Paid by payout {payout}.")
    PAYOUT_RETURNED = "payout_returned", _("Payout {payout} came back.")
    REFUND = "refund", _("Refund {refund} took {amount} back.")
    CHARGEBACK = "chargeback", _("Chargeback {refund} took {amount} back.")
    REFUND_CANCELLED = (
        "refund_cancelled",
        _("Refund {refund} was cancelled, which gave {amount} back."),
    )
    CHARGEBACK_CANCELLED = (
        "chargeback_cancelled",
        _("Chargeback {refund} was cancelled, which gave {amount} back."),
    )
    TAKEN_BACK = "taken_back", _("Refunds took all of it back.")
    SHARED = "shared", _("Earned {amount}: {percent} % of commission {commission}.")
    FOLLOWS = "follows", _("As the commission that it is a share of.")


class Why(NamedTuple):
    """A reason with its details: plain values for its sentence."""

    reason: StepReason
    details: Mapping[str, Any] = MappingProxyType({})


# Status before, status after, and why.
PastStep = tuple[str, str, Why]


class StaffAction(TextChoices):
    APPROVE = "approve", "Approve"
    HOLD = "hold", "Hold"
    RELEASE = "release", "Release"
    REJECT = "reject", "Reject"

    @property
    def result(self) -> CommissionStatus:
        return _STAFF_STEPS[self].result

    def allows(
        self,
        status: CommissionStatus,
        *,
        is_in_payout: bool,
        own: CommissionStatus | None,
    ) -> bool:
        """Whether staff may do it; never to a commission in a payout.

        ``own`` is the status of the commission it is a share of, if any.
        """
        if is_in_payout or self.waits(own):
            return False
        return status in _STAFF_STEPS[self].allowed

    def waits(self, own: CommissionStatus | None) -> bool:
        """Whether a share has to wait until its commission is approved."""
        return self is StaffAction.APPROVE and own in _NOT_APPROVED


class _StaffStep(NamedTuple):
    allowed: Sequence[CommissionStatus]
    result: CommissionStatus


_UNPAID = (
    CommissionStatus.PENDING,
    CommissionStatus.MATURED,
    CommissionStatus.APPROVED,
)
# Where a share follows its commission; payouts and refunds have their own steps.
_SHARED_STEPS = (*_UNPAID, CommissionStatus.HELD)
# A share of such a commission follows it and never precedes it.
NOT_OVER = (CommissionStatus.PENDING, CommissionStatus.HELD)
_NOT_APPROVED = {*_SHARED_STEPS} - {CommissionStatus.APPROVED}
_STAFF_STEPS: Mapping[StaffAction, _StaffStep] = MappingProxyType(
    {
        StaffAction.APPROVE: _StaffStep(
            [CommissionStatus.MATURED], CommissionStatus.APPROVED
        ),
        StaffAction.HOLD: _StaffStep(_UNPAID, CommissionStatus.HELD),
        StaffAction.RELEASE: _StaffStep(
            [CommissionStatus.HELD], CommissionStatus.PENDING
        ),
        StaffAction.REJECT: _StaffStep(_SHARED_STEPS, CommissionStatus.REJECTED),
    }
)


class Judgement(NamedTuple):
    """The status a commission gets, and why."""

    status: CommissionStatus
    why: Why


class Way(NamedTuple):
    """A step in the ledger: the kind of its posting and the accounts it joins."""

    kind: PostingKind
    source: Account
    target: Account


def way_of(before: CommissionStatus | None, after: CommissionStatus) -> Way | None:
    """How the remaining amount moves. ``before`` is None for a new commission.

    None if the step moves no money.
    """
    if before is None:
        return Way(PostingKind.EARNED, Account.EXPENSE, after.account)
    if before.account is after.account:
        return None
    return Way(_KIND_INTO[after.account], before.account, after.account)


WAITING = Judgement(CommissionStatus.PENDING, Why(StepReason.WAITS))


def judge_first(
    *,
    amount: int,
    left: int,
    sale: tuple[SaleStatus, SaleReason],
    declined: Sequence[str],
    held: Sequence[str],
    hold_days: int,
    approves_itself: bool,
) -> Judgement:
    """The first status. ``declined`` and ``held`` are the codes of fraud signals.

    ``left`` is what refunds leave of the amount. A commission of zero needs no approval.
    One that refunds leave nothing of waits until they reverse it.
    """
    sale_status, sale_reason = sale
    if amount == 0:
        return Judgement(CommissionStatus.APPROVED, Why(StepReason.EARNS_NOTHING))
    if sale_reason is SaleReason.AFFILIATE_LEFT:
        return Judgement(CommissionStatus.REJECTED, Why(StepReason.AFFILIATE_LEFT))
    if declined:
        return Judgement(CommissionStatus.REJECTED, _signals(declined))
    if sale_status is SaleStatus.HELD:
        return Judgement(CommissionStatus.HELD, Why(StepReason(sale_reason)))
    if held:
        return Judgement(CommissionStatus.HELD, _signals(held))
    if hold_days > 0 or not left:
        return WAITING
    if approves_itself:
        return Judgement(CommissionStatus.APPROVED, Why(StepReason.NO_HOLD))
    return Judgement(CommissionStatus.MATURED, Why(StepReason.WAITS_FOR_STAFF))


def _signals(codes: Sequence[str]) -> Why:
    return Why(StepReason.FRAUD_SIGNALS, {"signals": list(codes)})


def judge_mature(*, approves_itself: bool, service_is_active: bool | None) -> Judgement:
    """The status after the hold. ``service_is_active`` None: the host cannot say."""
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
    """The share's status after its commission's step from one status to another.

    It is rejected with it, even if paid. Otherwise it follows only from the
    commission's earlier status: steps that staff took on the share alone are kept, and
    a share in a payout stays.
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
    """The status after a refund that left this much. Paid or in a payout: unchanged."""
    if left > 0 or is_in_payout or status is CommissionStatus.PAID:
        return status
    return CommissionStatus.REVERSED


def judge_restored(steps: Sequence[PastStep]) -> Judgement:
    """The status of a commission before it was reversed in full.

    Its ``steps`` come latest first. If its payment came back, it was approved.
    """
    gone = CommissionStatus.REVERSED
    status = next(before for before, after, _ in steps if after == gone)
    if status == CommissionStatus.PAID:
        status = CommissionStatus.APPROVED
    into = (
        step for step in steps if step[1] == status and step[0] not in (status, gone)
    )
    before, _, why = next(into)
    return Judgement(CommissionStatus(status), why) if before else WAITING
