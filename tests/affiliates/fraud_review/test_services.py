"""What staff make of a suspicious sale, and what it does to the commission."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import hold
from affiliates.commissions.services.staff import release as go_on
from affiliates.errors import InvalidInput
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import ReviewOutcome, Signal
from affiliates.fraud_review.services import Judged, reject_sales, release_sales
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import Till, order_of, written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.books import PayoutFactory
from tests.factories.fraud import FraudPolicyFactory
from tests.factories.ledger import NOW
from tests.factories.plans import CommissionPlanFactory
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql

LATER = NOW + timedelta(days=1)
DONE = Judged(closed=1, left=0)
LEFT = Judged(closed=0, left=1)


@pytest.fixture
def suspicious(affiliate, brand, host):
    """The review of a paid sale that its brand's policy treats as ``action`` says."""

    def suspicious(action):
        CommissionPlanFactory(brand=brand, is_default=True)
        FraudPolicyFactory(brand=brand, signal=Signal.DISPOSABLE_EMAIL, action=action)
        client = host.client(brand, email="x@mailinator.com")
        order_of(affiliate, client, order_ref="order-1", invoice_ref="invoice-1")
        Till(brand.pk).pay()
        return FraudReview.objects.get()

    return suspicious


def release(review, staff, **changes):
    return release_sales(
        **{"review_ids": [review.pk], "actor_id": staff.pk, "now": LATER, **changes}
    )


def reject(review, staff, **changes):
    return reject_sales(
        **{"review_ids": [review.pk], "actor_id": staff.pk, "now": LATER, **changes}
    )


def account(affiliate):
    found = balances_of(affiliate.pk).get("EUR", {})
    return {name: amount for name, amount in found.items() if amount}


def outcome(review):
    review.refresh_from_db()
    return review.outcome, review.note, review.reviewed_by, review.reviewed_at


def test_release_lets_a_held_commission_go_on(suspicious, affiliate, staff):
    review = suspicious("hold")
    assert account(affiliate) == {Account.EXPENSE: -1000, Account.HELD: 1000}

    judged = release(review, staff, note=marker("staff", "review"))

    assert judged == DONE
    assert outcome(review) == ("released", marker("staff", "review"), staff, LATER)
    assert account(affiliate) == {Account.EXPENSE: -1000, Account.PENDING: 1000}
    commission = Commission.objects.get()
    assert commission.status == CommissionStatus.PENDING
    event = commission.events.last()
    assert (event.actor, event.reason_text, event.at) == (
        staff,
        marker("staff", "review"),
        LATER,
    )


def test_reject_takes_the_commission_away(suspicious, affiliate, staff):
    review = suspicious("hold")

    assert reject(review, staff) == DONE

    assert outcome(review) == ("rejected", "", staff, LATER)
    assert account(affiliate) == {}
    event = Commission.objects.get().events.last()
    assert (event.after, event.actor, event.reason_text) == (
        "rejected",
        staff,
        "Rejected after a review of its fraud signals.",
    )


def test_release_of_a_flagged_sale_leaves_its_commission(suspicious, staff):
    review = suspicious("flag")
    before = written()

    assert release(review, staff) == DONE

    assert written() == before
    assert outcome(review)[0] == "released"


@pytest.mark.parametrize("action", ["flag", "hold"])
def test_release_leaves_what_a_person_holds(action, suspicious, staff):
    review = suspicious(action)
    [commission] = Commission.objects.all()
    if action == "hold":
        go_on(
            commission_ids=[commission.pk],
            actor_id=staff.pk,
            reason="Harmless.",
            now=LATER,
        )
    hold(
        commission_ids=[commission.pk],
        actor_id=staff.pk,
        reason="The police asked for it.",
        now=LATER,
    )
    before = written()

    assert release(review, staff) == DONE

    assert written() == before
    commission.refresh_from_db()
    assert (commission.status, commission.reason_text) == (
        "held",
        "The police asked for it.",
    )


@pytest.mark.parametrize("action", ["flag", "hold"])
def test_release_leaves_the_decisions_hold_of_a_sign_it_does_not_name(
    action, self_referral, staff
):
    review = self_referral(ignored=True, action=action)
    before = written()

    assert release(review, staff) == DONE

    assert written() == before
    assert Commission.objects.get().status == "held"


def test_release_of_a_self_referral_ends_the_decisions_hold(self_referral, staff):
    review = self_referral(ignored=False, action="flag")

    assert release(review, staff) == DONE

    assert Commission.objects.get().status == "pending"


@pytest.fixture
def self_referral(affiliate, brand, host):
    """The review of an affiliate's own order, made with a throw-away address."""

    def self_referral(*, ignored, action):
        CommissionPlanFactory(brand=brand, is_default=True)
        if ignored:
            FraudPolicyFactory(brand=brand, signal=Signal.SELF_REFERRAL, action="allow")
        FraudPolicyFactory(brand=brand, signal=Signal.DISPOSABLE_EMAIL, action=action)
        affiliate.user.email = "x+own@mailinator.com"
        affiliate.user.save()
        client = host.client(brand, email="x@mailinator.com")
        order_of(
            affiliate,
            client,
            order_ref="order-1",
            invoice_ref="invoice-1",
            is_self=True,
        )
        Till(brand.pk).pay()
        return FraudReview.objects.get()

    return self_referral


def test_reject_of_a_flagged_sale_takes_its_commission(suspicious, affiliate, staff):
    review = suspicious("flag")

    assert reject(review, staff) == DONE

    assert account(affiliate) == {}
    assert Commission.objects.get().status == CommissionStatus.REJECTED


def test_a_declined_sale_cannot_be_released(suspicious, affiliate, staff):
    review = suspicious("decline")
    before = written()

    assert release(review, staff) == LEFT

    assert outcome(review) == ("open", "", None, None)
    assert (written(), account(affiliate)) == (before, {})


def test_reject_of_a_declined_sale_agrees_with_the_policy(suspicious, staff):
    review = suspicious("decline")
    before = written()

    assert reject(review, staff) == DONE

    assert (written(), outcome(review)[0]) == (before, "rejected")


def test_what_is_in_a_payout_cannot_be_rejected(suspicious, affiliate, staff):
    review = suspicious("flag")
    payout = PayoutFactory(affiliate=affiliate)
    Commission.objects.update(status=CommissionStatus.APPROVED, payout=payout)
    before = written()

    assert reject(review, staff) == LEFT

    assert (written(), outcome(review)) == (before, ("open", "", None, None))


@pytest.mark.parametrize("again", [release, reject])
@pytest.mark.parametrize("first", [release, reject])
def test_a_closed_review_stays_as_it_is(first, again, suspicious, staff):
    review = suspicious("hold")
    first(review, staff, note="First")
    before = (written(), outcome(review))

    judged = again(review, staff, note="Second", now=LATER + timedelta(days=1))

    assert judged == Judged(closed=0, left=0)
    assert (written(), outcome(review)) == before


@pytest.mark.parametrize("judge", [release, reject])
def test_a_note_that_is_too_long_changes_nothing(judge, suspicious, staff):
    review = suspicious("hold")
    before = written()

    with pytest.raises(InvalidInput, match="at most 255 characters"):
        judge(review, staff, note="x" * 256)

    assert (written(), outcome(review)) == (before, ("open", "", None, None))


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_of_staff_at_once_judge_a_sale_once(suspicious, affiliate, staff):
    review = suspicious("hold")

    judged = at_once(
        8, lambda number: (release if number % 2 else reject)(review, staff)
    )

    assert sum(one.closed for one in judged) == 1
    chosen = outcome(review)[0]
    commission = Commission.objects.get()
    assert (chosen, commission.status, account(affiliate)) in [
        (
            ReviewOutcome.RELEASED,
            CommissionStatus.PENDING,
            {Account.EXPENSE: -1000, Account.PENDING: 1000},
        ),
        (ReviewOutcome.REJECTED, CommissionStatus.REJECTED, {}),
    ]
    assert commission.events.count() == 3


def test_rejection_leaves_whom_staff_gave_the_order_to(suspicious, brand, host, staff):
    rival = AffiliateFactory(
        brand=brand, user=host.client(brand, email="rival@example.com")
    )
    review = suspicious("hold")
    override_attribution(
        referral_id=review.sale.order_referral_id,
        affiliate_id=rival.pk,
        reason="Sent by the rival.",
        actor_id=staff.pk,
        now=LATER,
    )

    judged = reject(review, staff)

    assert judged == DONE
    given = Commission.objects.get(affiliate=rival)
    assert given.status == CommissionStatus.PENDING
    assert account(rival)[Account.PENDING] == 1000
