"""Makes one decision from all facts of a paid invoice. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from typing import Any

from moneyed import Money

from affiliates.commissions import rules
from affiliates.commissions.life import Life, LifeStep
from affiliates.commissions.rules import (
    NOT_OVER,
    WAITING,
    CommissionStatus,
    Judgement,
    StepReason,
    Why,
)
from affiliates.contracts import RefundKind
from affiliates.fraud.rules.policy import FraudAction
from affiliates.fraud.rules.signals import NO_REVIEW, SaleReview, review
from affiliates.plans.rules.computation import CommissionReceipt, compute_commission
from affiliates.plans.rules.shares import share_receipt
from affiliates.sales.refunded import Refunded, net_taken, taken_of
from affiliates.sales.rules import SaleReason, SaleStatus, judge_sale
from affiliates.settlement.rules import decide_deliveries
from affiliates.settlement.types import (
    EarningFacts,
    InvoiceDecision,
    InvoiceFacts,
    RefundFacts,
)

_CANCELLED = {
    RefundKind.REFUND: StepReason.REFUND_CANCELLED,
    RefundKind.CHARGEBACK: StepReason.CHARGEBACK_CANCELLED,
}


def decide(facts: InvoiceFacts) -> InvoiceDecision:
    sale = None if facts.credit is None else judge_sale(**facts.credit._asdict())
    reviewed, receipt, share, lives = NO_REVIEW, None, None, list(facts.lives)
    if sale is not None and facts.earning is not None:
        receipt = _receipt_of(facts, facts.earning)
        if receipt.amount and facts.earning.review is not None:
            reviewed = review(facts.earning.review)
        own = _first_life(facts, facts.earning, receipt, sale, reviewed)
        lives = [own]
        share = _share_of(facts, own, facts.earning)
        if share is not None:
            lives.append(_first_share(facts, own, share))
    refunded = [_refund(life, facts) for life in lives]
    return InvoiceDecision(
        sale=sale,
        reversals=_of_the_sale(facts),
        review=reviewed,
        receipt=receipt,
        share=share,
        lives=tuple(_matured(lives, refunded, facts)),
        deliveries=()
        if facts.tracked is None
        else decide_deliveries(facts.tracked, now=facts.now),
    )


def _receipt_of(facts: InvoiceFacts, earning: EarningFacts) -> CommissionReceipt:
    return compute_commission(
        earning.sale,
        terms=facts.terms,
        plan_name=earning.plan_name,
        version_number=earning.version_number,
    )


def _first_life(
    facts: InvoiceFacts,
    earning: EarningFacts,
    receipt: CommissionReceipt,
    sale: tuple[SaleStatus, SaleReason],
    reviewed: SaleReview,
) -> Life:
    judgement = rules.judge_first(
        amount=receipt.amount,
        left=_left(facts, receipt.amount, [line.amount for line in receipt.lines]),
        sale=sale,
        declined=reviewed.signals_for(FraudAction.DECLINE),
        held=reviewed.signals_for(FraudAction.HOLD),
        hold_days=max(receipt.hold_days, reviewed.hold.days),
        approves_itself=facts.terms.approves_itself,
    )
    if judgement.why.reason is StepReason.NO_HOLD and facts.terms.hold_days:
        why = Why(StepReason.NO_TERM_HOLD, {"cycles": list(receipt.billing_cycles)})
        judgement = Judgement(judgement.status, why)
    return _begun(
        receipt.amount,
        earning.sale.currency,
        judgement,
        Why(StepReason.EARNED, {"version": earning.version_text}),
        by_line=tuple(line.amount for line in receipt.lines),
        matures_at=_hold_end(facts, earning, receipt, reviewed),
    )


def _hold_end(
    facts: InvoiceFacts,
    earning: EarningFacts,
    receipt: CommissionReceipt,
    reviewed: SaleReview,
) -> datetime:
    """By the plan; for a flagged sale not before staff have had time to look."""
    end = earning.sale.paid_at + timedelta(days=receipt.hold_days)
    return max(end, facts.now + reviewed.hold) if reviewed.hold else end


def _share_of(
    facts: InvoiceFacts, own: Life, earning: EarningFacts
) -> dict[str, Any] | None:
    """The receipt of the recruiter's share, without the commission's id, if any is due.

    No share if checks forbid the commission or less than half a minor unit is due.
    """
    if not earning.has_sharer or own.status is CommissionStatus.REJECTED:
        return None
    receipt = share_receipt(
        commission_id=0,
        earned=own.amount,
        currency=own.currency,
        terms=facts.terms,
        plan_name=earning.plan_name,
        version_number=earning.version_number,
    )
    return receipt if receipt["amount"] else None


def _first_share(facts: InvoiceFacts, own: Life, receipt: dict[str, Any]) -> Life:
    amount, judgement = receipt["amount"], own.judgement
    if judgement.status is CommissionStatus.HELD:
        judgement = Judgement(judgement.status, Why(StepReason.FOLLOWS))
    elif not _left(facts, amount, replace(own, amount=amount).parts):
        judgement = WAITING
    percent = receipt["inputs"]["percent"]
    return _begun(
        amount,
        own.currency,
        judgement,
        Why(StepReason.SHARED, {"percent": percent}),
        by_line=own.by_line,
        matures_at=own.matures_at,
    )


def _begun(
    amount: int,
    currency: str,
    judgement: Judgement,
    why: Why,
    *,
    by_line: tuple[int, ...],
    matures_at: datetime,
) -> Life:
    """The step "earned", and a second one if the commission does not simply wait."""
    pending = CommissionStatus.PENDING
    details = {"amount": amount, "currency": currency, **why.details}
    begun = Life(
        amount=amount,
        left=amount,
        currency=currency,
        judgement=Judgement(pending, judgement.why),
        matures_at=matures_at,
        by_line=by_line,
        past=(("", pending, why),),
        steps=(LifeStep(None, pending, Why(why.reason, details), amount),),
    )
    if judgement.status is pending:
        return begun
    return begun.step(judgement, judgement.why)


def _left(facts: InvoiceFacts, amount: int, by_line: Sequence[int | Fraction]) -> int:
    """The part that all refunds leave of an amount that the sale earns."""
    refunded = _sum(facts, facts.refunds)
    return amount - taken_of(amount, by_line, invoice=facts.invoice, refunded=refunded)


def _of_the_sale(facts: InvoiceFacts) -> tuple[tuple[int, Money], ...]:
    counted = sum(refund.is_counted for refund in facts.refunds)
    taken = partial(net_taken, facts.net, invoice=facts.invoice)
    return tuple(
        (place, taken(refunded=before) - taken(refunded=after))
        for place, before, after in _running(facts, counted)
    )


def _refund(life: Life, facts: InvoiceFacts) -> Life:
    """Takes or restores the commission's part of each refund it has not counted.

    The running total of refunds decides, so all together never take more than the
    commission. A rejected one has nothing to take.
    """
    if not life.status.is_live:
        return life
    counted = 0
    if facts.earning is None:
        counted = sum(refund.is_counted for refund in facts.refunds)
    taken = partial(taken_of, life.amount, life.parts, invoice=facts.invoice)
    for place, before, after in _running(facts, counted):
        moved = taken(refunded=before) - taken(refunded=after)
        life = replace(life, reversals=(*life.reversals, (place, moved)))
        if moved:
            life = _refunded(life, facts.refunds[place], refund=place, moved=moved)
    return life


def _refunded(life: Life, by: RefundFacts, *, refund: int, moved: int) -> Life:
    judgement, reason = life.judgement, StepReason(by.kind)
    if moved > 0:
        reason = _CANCELLED[by.kind]
        if life.status is CommissionStatus.REVERSED:
            judgement = rules.judge_restored(life.past)
    else:
        after = rules.judge_reversed(
            life.status, left=life.left + moved, is_in_payout=life.is_in_payout
        )
        if after is not life.status:
            judgement = Judgement(after, Why(StepReason.TAKEN_BACK))
    details = {
        "refund": by.refund_ref,
        "amount": abs(moved),
        "currency": life.currency,
    }
    return life.step(judgement, Why(reason, details), refund=refund, moved=moved)


def _running(
    facts: InvoiceFacts, counted: int
) -> Iterator[tuple[int, Refunded, Refunded]]:
    """The sums before and after each refund, from the place ``counted`` on."""
    before = _sum(facts, facts.refunds[:counted])
    for place, refund in enumerate(facts.refunds[counted:], start=counted):
        yield place, before, before + refund.refunded
        before += refund.refunded


def _sum(facts: InvoiceFacts, refunds: Sequence[RefundFacts]) -> Refunded:
    return sum((refund.refunded for refund in refunds), facts.counted)


def _matured(
    before: Sequence[Life], lives: Sequence[Life], facts: InvoiceFacts
) -> list[Life]:
    """A restored commission continues at once if its hold is over.

    Not if the plan first asks the host: the next pass of ``mature_due`` does that.
    """
    judgement = rules.judge_mature(
        approves_itself=facts.terms.approves_itself, service_is_active=None
    )
    matured: list[Life] = []
    for was, life in zip(before, lives, strict=True):
        was_reversed = was.status is CommissionStatus.REVERSED or any(
            step.after is CommissionStatus.REVERSED for step in life.steps
        )
        is_due = (
            was_reversed
            and life.status is CommissionStatus.PENDING
            and life.matures_at <= facts.now
            and not facts.terms.needs_active_service
        )
        own = matured[0] if matured else None
        if is_due and (own is None or own.status not in NOT_OVER):
            life = life.step(judgement, judgement.why)
        matured.append(life)
    return matured
