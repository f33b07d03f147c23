"""Decides about a paid invoice: all facts in, one decision out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from moneyed import Money

from affiliates.commissions import rules
from affiliates.commissions.amounts import left_after_refunds
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
from affiliates.core.money import from_minor, to_minor
from affiliates.fraud.rules.policy import FraudAction
from affiliates.fraud.rules.signals import NO_REVIEW, SaleReview, review
from affiliates.plans.rules.receipts import CommissionReceipt, compute_commission
from affiliates.plans.rules.shares import share_receipt
from affiliates.sales.rules import (
    SaleReason,
    SaleStatus,
    judge_sale,
    reversal_amounts,
)
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
    found, receipt, share, lives = NO_REVIEW, None, None, list(facts.lives)
    if sale is not None and facts.earning is not None:
        receipt = _receipt_of(facts, facts.earning)
        if receipt.amount and facts.earning.review is not None:
            found = review(facts.earning.review)
        own = _first_life(facts, facts.earning, receipt, sale, found)
        lives = [own]
        share = _share_of(facts, own, facts.earning)
        if share is not None:
            lives.append(_first_share(facts, own, share))
    refunded = [_refund(life, facts) for life in lives]
    return InvoiceDecision(
        sale=sale,
        reversals=_of_the_sale(facts),
        review=found,
        receipt=receipt,
        share=share,
        lives=tuple(_matured(lives, refunded, facts)),
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
    found: SaleReview,
) -> Life:
    judgement = rules.judge_first(
        amount=receipt.amount,
        left=_left(facts, receipt.amount),
        sale=sale,
        declined=found.signals_for(FraudAction.DECLINE),
        held=found.signals_for(FraudAction.HOLD),
        hold_days=receipt.hold_days,
        approves_itself=facts.terms.approves_itself,
    )
    return _begun(
        receipt.amount,
        earning.sale.currency,
        judgement,
        Why(StepReason.EARNED, {"version": earning.version_text}),
        matures_at=earning.sale.paid_at + timedelta(days=receipt.hold_days),
    )


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
    judgement = own.judgement
    if judgement.status is CommissionStatus.HELD:
        judgement = Judgement(judgement.status, Why(StepReason.FOLLOWS))
    elif not _left(facts, receipt["amount"]):
        judgement = WAITING
    percent = receipt["inputs"]["percent"]
    return _begun(
        receipt["amount"],
        own.currency,
        judgement,
        Why(StepReason.SHARED, {"percent": percent}),
        matures_at=own.matures_at,
    )


def _begun(
    amount: int, currency: str, judgement: Judgement, why: Why, *, matures_at: datetime
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
        past=(("", pending, why),),
        steps=(LifeStep(None, pending, Why(why.reason, details), amount),),
    )
    if judgement.status is pending:
        return begun
    return begun.step(judgement, judgement.why)


def _left(facts: InvoiceFacts, amount: int) -> int:
    """Returns the rest of an amount that the sale earns, after all refunds."""
    return left_after_refunds(
        amount,
        currency=facts.net.currency.code,
        paid_gross=facts.gross,
        refunded=_sum(facts, facts.refunds),
    )


def _of_the_sale(facts: InvoiceFacts) -> tuple[tuple[int, Money], ...]:
    counted = sum(one.is_counted for one in facts.refunds)
    taken = _taken(facts, facts.net, counted)
    return tuple((place, -amount) for place, amount in enumerate(taken, start=counted))


def _refund(life: Life, facts: InvoiceFacts) -> Life:
    """Takes or restores the commission's part of each refund it has not counted.

    The running total of refunds decides, so all together never take more than the
    commission.
    """
    counted = 0
    if facts.earning is None:
        counted = sum(one.is_counted for one in facts.refunds)
    whole = from_minor(life.amount, life.currency)
    for place, taken in enumerate(_taken(facts, whole, counted), start=counted):
        moved = -to_minor(taken)
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


def _taken(facts: InvoiceFacts, of: Money, counted: int) -> list[Money]:
    """Returns the part of an amount each refund takes, without the first ``counted``."""
    return list(
        reversal_amounts(
            sale_net=of,
            paid_gross=facts.gross,
            refunded_before=_sum(facts, facts.refunds[:counted]),
            refunds=[one.gross for one in facts.refunds[counted:]],
        )
    )


def _sum(facts: InvoiceFacts, refunds: Sequence[RefundFacts]) -> Money:
    return sum((one.gross for one in refunds), facts.counted)


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
        is_due = (
            was.status is CommissionStatus.REVERSED
            and life.status is CommissionStatus.PENDING
            and life.matures_at <= facts.now
            and not facts.terms.needs_active_service
        )
        own = matured[0] if matured else None
        if own is not None and own.status is not lives[0].status:
            life = _following(life, (lives[0].status, own.status))
        elif is_due and (own is None or own.status not in NOT_OVER):
            life = life.step(judgement, judgement.why)
        matured.append(life)
    return matured


def _following(share: Life, step: tuple[CommissionStatus, CommissionStatus]) -> Life:
    after = rules.judge_share(
        share.status,
        share.judgement.why.reason,
        is_in_payout=share.is_in_payout,
        step=step,
    )
    if after is share.status:
        return share
    why = Why(StepReason.FOLLOWS)
    return share.step(Judgement(after, why), why)
