"""What an audit changed by hand, one thing at a time, and what is found of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from moneyed import Money

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.payouts.models import Payout, PayoutDestination, PayoutEvent
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.referrals.models import DecisionOverride, OrderReferral
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from tests.affiliates.verification.finding import REFUSED, found_after
from tests.affiliates.verification.program import Program
from tests.append_only import unguarded
from tests.lengths import in_steps

pytestmark = pytest.mark.portable

SECOND = timedelta(seconds=1)
SEALED = "is not as it was written: something else than the product changed it."


def unnumbered(finding: str) -> str:
    """Without the number of the row that it begins with."""
    return re.sub(r"^([A-Z][a-z]+(?: [a-z]+)*) \d+", r"\1 #", finding)


def change(rows: Any, **fields: Any) -> None:
    """One row of these, whichever table it is of."""
    assert rows.model._base_manager.filter(pk=rows.order_by("pk")[0].pk).update(
        **fields
    )


def remove(rows: Any) -> None:
    rows._raw_delete("default")


def of(model: Any, **known: Any) -> Any:
    return model._base_manager.filter(**known)


def commission(program: Program, name: str) -> Any:
    return of(Commission, pk=program.commission(name).pk)


def sale(program: Program) -> Any:
    return of(Sale, pk=program.commission("waiting").sale_id)


def order(program: Program, name: str = "waiting") -> Any:
    return of(OrderReferral, pk=program.referral(name).pk)


def another_net(program: Program) -> None:
    """The sale and its line, by the same."""
    change(sale(program), net=F("net") + 1)
    change_line(program, net="101.00")


def change_line(program: Program, **fields: Any) -> None:
    paid = InvoicePayment.objects.get(sale__in=sale(program))
    first, *rest = paid.lines
    change(of(InvoicePayment, pk=paid.pk), lines=[{**first, **fields}, *rest])


def winner_changed(program: Program, **fields: Any) -> None:
    decision = program.referral("waiting").decision
    [candidate] = decision["candidates"]
    change(
        order(program), decision={**decision, "candidates": [{**candidate, **fields}]}
    )


def take_off_balances(entries: Any) -> None:
    for entry in entries:
        AccountBalance.objects.filter(
            affiliate_id=entry.affiliate_id,
            account=entry.account,
            currency=entry.currency,
        ).update(amount=F("amount") - entry.amount)


def without_reversal(program: Program) -> None:
    """A refund is kept, and all that followed from it is gone, balances and steps too."""
    refunded = program.commission("partly refunded")
    postings = of(LedgerPosting, commission=refunded, kind="reversed")
    entries = of(LedgerEntry, posting__in=postings)
    take_off_balances(entries)
    remove(entries)
    remove(postings)
    remove(of(CommissionReversal, commission=refunded))
    remove(of(SaleReversal, sale=refunded.sale_id))
    remove(of(CommissionEvent, commission=refunded, before="pending", after="pending"))


def moved_to_another_affiliate(program: Program) -> None:
    """The commission, its entries and the balances, so that all sums agree."""
    to = program.world.affiliates[1].pk
    moved = program.commission("waiting")
    entries = of(LedgerEntry, posting__commission=moved)
    take_off_balances(entries)
    for entry in entries:
        AccountBalance.objects.filter(
            affiliate_id=to, account=entry.account, currency=entry.currency
        ).update(amount=F("amount") + entry.amount)
    entries.update(affiliate=to)
    of(Commission, pk=moved.pk).update(affiliate=to)


def never_settled(program: Program) -> None:
    """A payment as the host tells it, of which nothing followed."""
    paid = InvoicePayment.objects.get(sale__in=sale(program))
    paid.pk, paid.invoice_ref, paid.renewal_number = None, "never settled", 2
    paid.save(force_insert=True)


def refund_never_settled(program: Program) -> None:
    told = InvoiceRefund.objects.filter(reversal__isnull=False).earliest("pk")
    told.pk, told.refund_ref = None, "never settled"
    told.save(force_insert=True)


def cancellation_never_settled(program: Program) -> None:
    told = cancellation("paid out").get()
    told.pk, told.cancellation_ref, told.gross = None, "never settled", None
    told.save(force_insert=True)


def cancellation(name: str) -> Any:
    return of(RefundCancellation, cancellation_ref=f"cancellation, {name}")


def without_restoration(program: Program) -> None:
    """A cancellation is kept, and all that followed from it is gone, as above."""
    restored = program.commission("paid out")
    postings = of(LedgerPosting, commission=restored, kind="restored")
    entries = of(LedgerEntry, posting__in=postings)
    take_off_balances(entries)
    remove(entries)
    remove(postings)
    told = {"sale_reversal__cancellation__in": cancellation("paid out")}
    remove(of(CommissionReversal, **told))
    remove(of(SaleReversal, cancellation__in=cancellation("paid out")))
    remove(of(CommissionEvent, commission=restored, reason="refund_cancelled"))


def given_back_too_much(program: Program) -> None:
    """The cancellation and its seal say one more, as if the product had kept it."""
    told = cancellation("paid out").get()
    told.gross += Money("1.00", "EUR")
    told.save()


def stranger_version(program: Program) -> CommissionPlanVersion:
    return CommissionPlanVersion.objects.get(plan__brand__name="Other")


def commission_removed(program: Program) -> None:
    """With its lines, steps, postings and balances: the sale seems to be on no plan."""
    gone = program.commission("held")
    entries = of(LedgerEntry, posting__commission=gone)
    take_off_balances(entries)
    remove(entries)
    for rows in (LedgerPosting, CommissionEvent, CommissionLine):
        remove(of(rows, commission=gone))
    remove(of(Commission, pk=gone.pk))


def order_removed(program: Program) -> None:
    """As if the client had never been."""
    gone = program.commission("held").sale
    commission_removed(program)
    remove(of(Sale, pk=gone.pk))
    remove(of(InvoicePayment, pk=gone.payment_id))
    remove(order(program, "held"))


# What was done, by what, and words of what is found.
CASES: list[tuple[str, Callable[[Program], object], str]] = [
    (
        "a posting's key",
        lambda program: change(of(LedgerPosting), key="commission:1:earned:999"),
        "names no step, refund or adjustment that is on record.",
    ),
    (
        "when it was posted",
        lambda program: change(of(LedgerPosting), posted_at=F("posted_at") + SECOND),
        "its step was taken at",
    ),
    (
        "when a commission was earned",
        lambda program: change(
            commission(program, "waiting"), earned_at=F("earned_at") + SECOND
        ),
        f"Commission # {SEALED}",
    ),
    (
        "when a commission matures",
        lambda program: change(
            commission(program, "waiting"), matures_at=F("matures_at") + SECOND
        ),
        f"Commission # {SEALED}",
    ),
    (
        "a commission's plan version",
        lambda program: change(
            commission(program, "waiting"),
            plan_version=CommissionPlanVersion.objects.filter(
                plan__brand=program.world.brand, plan__is_default=True
            ).get(number=1),
        ),
        "with plan version 2, but 1 is on record.",
    ),
    (
        "another brand's plan version",
        lambda program: change(
            commission(program, "waiting"), plan_version=stranger_version(program)
        ),
        f"Commission # {SEALED}",
    ),
    (
        "a commission that names no plan version",
        lambda program: change(commission(program, "waiting"), plan_version=None),
        "Commission # names no version of a plan",
    ),
    (
        "the first approved commission, which names no plan version",
        lambda program: of(Commission).update(plan_version=None),
        "Commission # names no version of a plan",
    ),
    (
        "an approved commission is out of its open payout",
        lambda program: change(commission(program, "waiting"), payout=None),
        "Commission # is in a payout without a step into it, or a step",
    ),
    (
        "a receipt's stored amount",
        lambda program: change(
            of(CommissionLine),
            receipt={**CommissionLine.objects.first().receipt, "amount": 1},
        ),
        "has a receipt of line 1 with amount 1, but 1250 is on record.",
    ),
    ("a sale's net together with its line's", another_net, f"Sale # {SEALED}"),
    (
        "a reversal's net",
        lambda program: change(of(SaleReversal), net=F("net") + 1),
        f"Sale reversal # {SEALED}",
    ),
    (
        "a sale's quantity",
        lambda program: change_line(program, quantity=3),
        "with quantity 1, but 3 is on record.",
    ),
    (
        "a sale's affiliate",
        lambda program: change(sale(program), affiliate=program.world.affiliates[2]),
        f"Sale # {SEALED}",
    ),
    (
        "a sale's invoice",
        lambda program: change(sale(program), invoice_ref="another"),
        f"Sale # {SEALED}",
    ),
    (
        "a sale's time",
        lambda program: change(sale(program), paid_at=F("paid_at") + SECOND),
        "with payment time",
    ),
    (
        "a sale's position, beside its receipt",
        lambda program: change(sale(program), position=1),
        "with position 0, but 1 is on record.",
    ),
    (
        "a sale's position, beside the sales before it",
        lambda program: change(sale(program), position=1),
        "Sale # has position 1, but 0 to 0 can be.",
    ),
    (
        "a position that the host never stated",
        lambda program: change(of(InvoicePayment), position=0),
        f"Invoice payment # {SEALED}",
    ),
    (
        "when a sale was recorded",
        lambda program: change(sale(program), recorded_at=F("recorded_at") + SECOND),
        f"Sale # {SEALED}",
    ),
    (
        "a payout's destination",
        lambda program: change(
            of(Payout), destination=PayoutDestination.objects.order_by("pk").first()
        ),
        "goes to the destination of another affiliate.",
    ),
    (
        "a payout's reference",
        lambda program: change(of(Payout, status="paid"), remote_ref="another"),
        f"Payout # {SEALED}",
    ),
    (
        "that two persons approved a payout",
        lambda program: change(of(Payout, status="paid"), is_for_two=False),
        f"Payout # {SEALED}",
    ),
    (
        "who approved a payout",
        lambda program: change(
            of(Payout, status="paid"), approved_by=F("prepared_by"), is_for_two=False
        ),
        "names who made it approved, but has no such step of that person.",
    ),
    (
        "a payout's first approval",
        lambda program: remove(of(PayoutEvent, reason__startswith="Prepared")),
        "names who made it requested, but has no such step of that person.",
    ),
    (
        "the second person of a payout",
        lambda program: change(of(Payout, status="paid"), approved_by=None),
        REFUSED,
    ),
    (
        "who took a payout's step",
        lambda program: change(of(PayoutEvent), actor=None),
        f"Payout event # {SEALED}",
    ),
    (
        "a destination's sealed details",
        lambda program: change(of(PayoutDestination), details="nobody's"),
        f"Payout destination # {SEALED}",
    ),
    (
        "who entered a destination",
        lambda program: change(of(PayoutDestination), entered_by=program.staff),
        f"Payout destination # {SEALED}",
    ),
    (
        "when a commission's step was taken",
        lambda program: change(of(CommissionEvent), at=F("at") + SECOND),
        f"Commission event # {SEALED}",
    ),
    (
        "who took a commission's step",
        lambda program: change(of(CommissionEvent, after="held"), actor=None),
        SEALED,
    ),
    (
        "a stored payment's lines",
        lambda program: change(of(InvoicePayment), lines=[]),
        "has 2 lines for an invoice that was paid of 0.",
    ),
    (
        "the content of a stored payment's lines",
        lambda program: change(of(InvoicePayment), lines=[{}, {}]),
        "rests on a document that cannot be read.",
    ),
    (
        "a stored payment's amount",
        lambda program: change(of(InvoicePayment), gross=F("gross") + 1),
        f"Invoice payment # {SEALED}",
    ),
    (
        "a refund's amount",
        lambda program: change(of(InvoiceRefund), gross=F("gross") + 1),
        f"Invoice refund # {SEALED}",
    ),
    (
        "a refund without its reversal, posting and balances",
        without_reversal,
        "took nothing back of its invoice's sale: the reversal is missing.",
    ),
    (
        "a cancellation's time",
        lambda program: change(
            cancellation("restored"), cancelled_at=F("cancelled_at") + SECOND
        ),
        f"Cancelled refund # {SEALED}",
    ),
    (
        "a cancellation's amount, with its seal",
        given_back_too_much,
        "had 504 taken back, but by its refunds it is 420.",
    ),
    (
        "a cancellation without its reversal, posting and balances",
        without_restoration,
        "gave nothing back of its refund's sale: the reversal is missing.",
    ),
    (
        "a cancellation of another refund",
        lambda program: change(
            cancellation("restored"), refund_ref="refund, partly refunded"
        ),
        "gave something back of a sale that its refund took nothing of.",
    ),
    (
        "a cancellation that is gone, and its reversal stays",
        lambda program: remove(cancellation("restored")),
        "taken back, but by its refunds it is",
    ),
    (
        "the terms of a plan version",
        lambda program: change(of(CommissionPlanVersion), terms={}),
        "than it was made with.",
    ),
    (
        "the terms of a policy version",
        lambda program: change(of(AttributionPolicyVersion), terms={}),
        "than it was made with.",
    ),
    (
        "the terms of a coupon version",
        lambda program: change(of(CouponCodeVersion), terms={}),
        "than it was made with.",
    ),
    (
        "from when a plan version is in force",
        lambda program: change(
            of(CommissionPlanVersion), effective_from=F("effective_from") + SECOND
        ),
        f"Plan version # {SEALED}",
    ),
    (
        "an override is gone",
        lambda program: remove(
            of(DecisionOverride, affiliate=program.world.affiliates[2])
        ),
        "has another assignment by staff than its decision says.",
    ),
    (
        "a decision's winner",
        lambda program: winner_changed(
            program, affiliate_id=program.world.affiliates[2].pk
        ),
        "by its decision to",
    ),
    (
        "the time of a decision's click",
        lambda program: winner_changed(program, touched_at="2026-01-01T00:00:00+00:00"),
        "has touched_at",
    ),
    (
        "a decision's winner emptied",
        lambda program: winner_changed(program, affiliate_id=None),
        "by its decision to None.",
    ),
    (
        "a decision emptied",
        lambda program: change(order(program), decision={}),
        "has a decision without the inputs that it was made from.",
    ),
    (
        "an order's affiliate",
        lambda program: change(order(program), affiliate=program.world.affiliates[2]),
        "but its order is credited to",
    ),
    (
        "an order's outcome",
        lambda program: change(order(program), outcome="held"),
        "is held, by its decision credited.",
    ),
    (
        "a commission moved to another affiliate consistently",
        moved_to_another_affiliate,
        "but its order is credited to",
    ),
    (
        "a statement's total",
        lambda program: change(of(PayoutStatement), document={"total": "12x"}),
        "prints a total of 12x, but its payout is",
    ),
    (
        "a statement's whole document",
        lambda program: change(of(PayoutStatement), document=[]),
        "prints a total of nothing, but its payout is",
    ),
    (
        "the sale of a cancellation's reversal",
        lambda program: change(
            of(SaleReversal, cancellation__isnull=False),
            sale=program.commission("held").sale_id,
        ),
        "gave something back of a sale that its refund took nothing of.",
    ),
    (
        "the sale of a commission's reversal",
        lambda program: change(
            of(SaleReversal, commission_reversals__isnull=False),
            sale=program.commission("held").sale_id,
        ),
        "has reversals that belong to another sale.",
    ),
    (
        "all steps of commissions",
        lambda program: remove(of(CommissionEvent)),
        "but its last step made it nothing.",
    ),
    (
        "all entries",
        lambda program: remove(of(LedgerEntry)),
        "has 0 entries, not two: money has no other side.",
    ),
    (
        "a payment that was never settled",
        never_settled,
        "belongs to an order that credits an affiliate, but made no sale.",
    ),
    (
        "a refund that was never settled",
        refund_never_settled,
        "Refund never settled took nothing back",
    ),
    (
        "a cancellation that was never settled",
        cancellation_never_settled,
        "Cancellation never settled gave nothing back",
    ),
]


@in_steps(example=62, sweep=5)
def test_each_is_found_and_named(step, program):
    cases = CASES[::step]

    with unguarded():
        found = {
            case: found_after(lambda corrupt=corrupt: corrupt(program))
            for case, corrupt, _ in cases
        }

    unnamed = {
        case: found[case]
        for case, _, words in cases
        if not any(words in unnumbered(one) for one in found[case])
    }
    assert unnamed == {}


def test_out_of_reach_is_what_is_removed_with_all_that_speaks_of_it(program):
    """Only a backup shows it: see docs/ledger.md."""
    with unguarded():
        assert found_after(lambda: commission_removed(program)) == []
        assert found_after(lambda: order_removed(program)) == []
