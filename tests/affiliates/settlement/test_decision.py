"""What is decided of a paid invoice, by its facts alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from moneyed import Money

from affiliates.commissions.life import Life
from affiliates.commissions.rules import CommissionStatus, Judgement, StepReason, Why
from affiliates.contracts import RefundKind
from affiliates.fraud.rules.policy import DEFAULT_POLICIES
from affiliates.fraud.rules.signals import ReviewFacts
from affiliates.fraud.rules.types import FraudFacts, PeopleFacts
from affiliates.plans.rules.matching import LineFacts, SaleFacts
from affiliates.plans.rules.terms import PlanTerms, RuleTerms
from affiliates.program.rules import AffiliateStatus
from affiliates.sales.refunded import InvoiceAmounts, Refunded
from affiliates.sales.rules import SaleReason, SaleStatus
from affiliates.settlement.decision import decide
from affiliates.settlement.types import (
    CreditFacts,
    EarningFacts,
    InvoiceFacts,
    RefundFacts,
)
from tests.factories.ledger import NOW

TEN_PERCENT = RuleTerms(percent=Decimal(10))
TERMS = PlanTerms(rules=(TEN_PERCENT,), recruiter_percent=Decimal(20))
NO_HOLD = replace(TERMS, hold_days=0)
WAITING = Judgement(CommissionStatus.PENDING, Why(StepReason.WAITS))
TAKEN_BACK = Judgement(CommissionStatus.REVERSED, Why(StepReason.TAKEN_BACK))
SALE = SaleFacts(
    currency="EUR",
    renewal_number=0,
    position=0,
    ordered_at=NOW,
    paid_at=NOW,
    affiliate_id=1,
    lines=(
        LineFacts(
            position=1,
            description="Hosting",
            product_ref="product-1",
            kind="hosting",
            net=100_00,
        ),
    ),
)
EARNING = EarningFacts(
    sale=SALE,
    plan_name="Standard",
    version_number=1,
    version_text="Standard version 1",
    has_sharer=True,
    review=None,
)


CREDITED = CreditFacts(
    decision_is_held=False,
    affiliate_status=AffiliateStatus.ACTIVE,
    is_brand_active=True,
)


def of(
    *refunds: str, terms: PlanTerms = TERMS, listed_as_counted: int = 0, **facts
) -> InvoiceFacts:
    """A new sale of 100.00 EUR that was paid with 119.00, and refunds of it."""
    return InvoiceFacts(
        **{
            "net": Money("100.00", "EUR"),
            "invoice": InvoiceAmounts(Fraction(119), (Fraction(100),)),
            "credit": CREDITED,
            "counted": Refunded(),
            "refunds": tuple(
                RefundFacts(
                    f"refund-{number}",
                    RefundKind.REFUND,
                    Refunded(gross=Fraction(gross)),
                    number < listed_as_counted,
                    NOW,
                )
                for number, gross in enumerate(refunds)
            ),
            "terms": terms,
            "earning": EARNING,
            "lives": (),
            "tracked": None,
            "now": NOW,
            **facts,
        }
    )


def known(*lives: Life, refunds: tuple[str, ...], counted: int, **facts):
    """A recorded sale with these commissions; the first refunds were counted."""
    return of(
        *refunds,
        listed_as_counted=counted,
        credit=None,
        earning=None,
        lives=lives,
        **facts,
    )


def life(amount: int = 10_00, **fields) -> Life:
    return Life(
        **{
            "amount": amount,
            "left": amount,
            "currency": "EUR",
            "judgement": WAITING,
            "matures_at": NOW + timedelta(days=30),
            **fields,
        }
    )


def steps(decided: Life) -> list[tuple[str | None, str, str, int]]:
    return [(one.before, one.after, one.why.reason, one.left) for one in decided.steps]


@pytest.mark.parametrize(
    ("_case", "facts", "sale", "own", "share"),
    [
        ("waits", of(), "recorded", "pending", "pending"),
        ("no hold", of(terms=NO_HOLD), "recorded", "approved", "approved"),
        (
            "staff approve",
            of(terms=replace(NO_HOLD, approves_itself=False)),
            "recorded",
            "matured",
            "matured",
        ),
        (
            "decision held",
            of(credit=CREDITED._replace(decision_is_held=True)),
            "held",
            "held",
            "held",
        ),
        (
            "affiliate suspended",
            of(credit=CREDITED._replace(affiliate_status=AffiliateStatus.SUSPENDED)),
            "held",
            "held",
            "held",
        ),
        ("refunded", of("119.00", terms=NO_HOLD), "recorded", "reversed", "reversed"),
        (
            "refund cancelled",
            of("119.00", "-119.00", terms=NO_HOLD),
            "recorded",
            "approved",
            "approved",
        ),
    ],
)
def test_new_sale(_case, facts, sale, own, share):
    decision = decide(facts)

    assert decision.sale is not None
    assert decision.sale[0] == sale
    assert [one.status for one in decision.lives] == [own, share]
    assert [one.amount for one in decision.lives] == [10_00, 2_00]


def test_affiliate_that_has_left_earns_nothing_and_brings_no_share():
    left = CREDITED._replace(affiliate_status=AffiliateStatus.LEFT)

    decision = decide(of(credit=left, terms=NO_HOLD))

    assert decision.sale == (SaleStatus.RECORDED, SaleReason.AFFILIATE_LEFT)
    assert [one.judgement for one in decision.lives] == [
        Judgement(CommissionStatus.REJECTED, Why(StepReason.AFFILIATE_LEFT))
    ]
    assert decision.share is None


def test_on_no_plan_the_sale_earns_nothing_and_is_reversed_all_the_same():
    decision = decide(of("59.50", earning=None))

    assert decision.sale is not None
    assert (decision.receipt, decision.share, decision.lives) == (None, None, ())
    assert decision.reversals == ((0, Money("-50.00", "EUR")),)


def test_affiliate_who_is_the_client_is_held_and_its_share_follows():
    same = PeopleFacts(
        affiliate_user_id="7", affiliate_email="", client_id="7", client_email=""
    )
    review = ReviewFacts(FraudFacts(people=same, order=None), DEFAULT_POLICIES)

    decision = decide(of(earning=replace(EARNING, review=review)))

    assert [one.signal for one in decision.review.findings] == ["self_referral"]
    own, share = decision.lives
    assert steps(own)[1] == ("pending", "held", "fraud_signals", 10_00)
    assert steps(share)[1] == ("pending", "held", "follows", 2_00)


def reviewed(client_email: str, flagged_days: int) -> ReviewFacts:
    people = PeopleFacts(
        affiliate_user_id="7",
        affiliate_email="",
        client_id="8",
        client_email=client_email,
    )
    return ReviewFacts(
        FraudFacts(people=people, order=None),
        DEFAULT_POLICIES,
        flagged_hold=timedelta(days=flagged_days),
    )


@pytest.mark.parametrize(
    ("_case", "email", "terms", "flagged_days", "status", "hold_days"),
    [
        ("flagged, no hold", "a@mailinator.com", NO_HOLD, 3, "pending", 3),
        ("flagged, off", "a@mailinator.com", NO_HOLD, 0, "approved", 0),
        ("clean", "a@example.com", NO_HOLD, 3, "approved", 0),
        ("flagged, longer hold", "a@mailinator.com", TERMS, 3, "pending", 30),
        ("flagged, shorter hold", "a@mailinator.com", TERMS, 40, "pending", 40),
    ],
)
def test_flagged_sale_is_held_for_the_time_that_the_brand_gives_staff(
    _case, email, terms, flagged_days, status, hold_days
):
    earning = replace(EARNING, review=reviewed(email, flagged_days))

    decision = decide(of(earning=earning, terms=terms))

    end = NOW + timedelta(days=hold_days)
    assert [one.status for one in decision.lives] == [status, status]
    assert [one.matures_at for one in decision.lives] == [end, end]


def test_payment_that_is_reported_late_leaves_staff_the_same_time():
    earning = replace(EARNING, review=reviewed("a@mailinator.com", 3))
    late = NOW + timedelta(days=60)

    decision = decide(of(earning=earning, terms=NO_HOLD, now=late))

    assert decision.lives[0].matures_at == late + timedelta(days=3)


def test_without_a_recruiter_there_is_no_share():
    decision = decide(of(earning=replace(EARNING, has_sharer=False)))

    assert (decision.share, len(decision.lives)) == (None, 1)


def test_refunds_take_their_part_of_sale_commission_and_share():
    decision = decide(of("59.50", "59.50"))

    assert decision.reversals == (
        (0, Money("-50.00", "EUR")),
        (1, Money("-50.00", "EUR")),
    )
    own, share = decision.lives
    assert (own.reversals, share.reversals) == (
        ((0, -5_00), (1, -5_00)),
        ((0, -1_00), (1, -1_00)),
    )
    assert steps(own) == [
        (None, "pending", "earned", 10_00),
        ("pending", "pending", "refund", 5_00),
        ("pending", "reversed", "refund", 0),
    ]


def test_what_is_counted_is_not_taken_again():
    decision = decide(
        known(life(left=5_00), refunds=("59.50", "11.90", "100.00"), counted=1)
    )

    assert (decision.sale, decision.receipt) == (None, None)
    assert decision.reversals == (
        (1, Money("-10.00", "EUR")),
        (2, Money("-40.00", "EUR")),
    )
    (own,) = decision.lives
    assert own.reversals == ((1, -1_00), (2, -4_00))
    assert (own.status, own.left) == ("reversed", 0)


def test_what_is_counted_without_being_listed_is_taken_before():
    facts = known(life(left=5_00), refunds=("11.90",), counted=0)

    decision = decide(replace(facts, counted=Refunded(gross=Fraction("113.05"))))

    assert decision.reversals == ((0, Money("-5.00", "EUR")),)
    assert decision.lives[0].reversals == ((0, -50),)


def test_commission_of_a_sale_given_to_another_affiliate_counts_all_refunds():
    decision = decide(of("59.50", "11.90", listed_as_counted=2))

    assert decision.reversals == ()
    assert decision.lives[0].reversals == ((0, -5_00), (1, -1_00))


@pytest.mark.parametrize(
    ("_case", "is_due", "terms", "own", "share"),
    [
        ("due", True, TERMS, "approved", "approved"),
        ("not due", False, TERMS, "pending", "pending"),
        (
            "the host is asked first",
            True,
            replace(TERMS, needs_active_service=True),
            "pending",
            "pending",
        ),
        (
            "staff approve",
            True,
            replace(TERMS, approves_itself=False),
            "matured",
            "matured",
        ),
    ],
)
def test_restored_commission_goes_on(_case, is_due, terms, own, share):
    matures_at = NOW if is_due else NOW + timedelta(seconds=1)
    reversed_ones = [
        life(
            amount,
            left=0,
            judgement=TAKEN_BACK,
            matures_at=matures_at,
            past=(
                ("pending", "reversed", Why(StepReason.REFUND)),
                ("", "pending", Why(StepReason.EARNED)),
            ),
        )
        for amount in (10_00, 2_00)
    ]

    decision = decide(
        known(*reversed_ones, refunds=("119.00", "-59.50"), counted=1, terms=terms)
    )

    assert [one.status for one in decision.lives] == [own, share]
    assert [one.left for one in decision.lives] == [5_00, 1_00]


def test_overdue_commission_goes_on_if_its_refund_comes_with_its_cancellation():
    """The cancellation was reported first."""
    past = (("", "pending", Why(StepReason.EARNED)),)
    overdue = life(matures_at=NOW, past=past)

    decision = decide(known(overdue, refunds=("119.00", "-119.00"), counted=0))

    (own,) = decision.lives
    assert [step[1] for step in steps(own)] == ["reversed", "pending", "approved"]


def test_paid_commission_whose_payout_came_back_is_approved_again():
    returned = life(
        left=0,
        judgement=TAKEN_BACK,
        past=(
            ("paid", "reversed", Why(StepReason.TAKEN_BACK)),
            ("approved", "paid", Why(StepReason.PAID)),
            ("pending", "approved", Why(StepReason.HOLD_IS_OVER)),
            ("", "pending", Why(StepReason.EARNED)),
        ),
    )

    decision = decide(known(returned, refunds=("119.00", "-119.00"), counted=1))

    assert decision.lives[0].judgement == Judgement(
        CommissionStatus.APPROVED, Why(StepReason.HOLD_IS_OVER)
    )


@pytest.mark.parametrize(
    ("_case", "fields", "status"),
    [
        ("in a payout", {"is_in_payout": True}, "approved"),
        ("in none", {}, "reversed"),
    ],
)
def test_approved_commission_that_refunds_take(_case, fields, status):
    approved = Judgement(CommissionStatus.APPROVED, Why(StepReason.HOLD_IS_OVER))

    decision = decide(
        known(life(judgement=approved, **fields), refunds=("119.00",), counted=0)
    )

    (own,) = decision.lives
    assert (own.status, own.left) == (status, 0)
    assert steps(own) == [("approved", status, "refund", 0)]
