"""Staff decide a claim: what a grant moves, and what a refusal leaves alone."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from uuid import uuid4

import pytest
from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import WAITING, ClaimStatus, Hints
from affiliates.contrib.claims.selectors import answers_to, suggested_orders
from affiliates.contrib.claims.services import decline_claim, grant_claim, submit_claim
from affiliates.emails.models import Email
from affiliates.errors import AffiliatesError, InvalidInput, NotFound, StateConflict
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import DecisionOverride, OrderReferral
from tests.affiliates.till import Till, order_of, written
from tests.factories.affiliates import BrandFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.ledger import NOW, OrderReferralFactory
from tests.guard.markers import marker
from tests.races import at_once, await_lock, needs_postgresql

LATER = NOW + timedelta(days=1)
REASON = marker("staff", "reason")


@pytest.fixture
def rivals_order(rival, buyer, plan):
    """A paid order that is credited to the rival."""
    order = order_of(rival, buyer, order_ref="order-1", invoice_ref="invoice-1")
    Till(rival.brand_id).pay()
    return order


@pytest.fixture
def claim(affiliate):
    return MissingSaleClaimFactory(affiliate=affiliate, order_hint="order-1")


def grant(claim, order, staff, **changes):
    return grant_claim(
        **{
            "claim_id": claim.pk,
            "referral_id": order.pk,
            "reason": REASON,
            "actor_id": staff.pk,
            "now": LATER,
            **changes,
        }
    )


def decline(claim, staff, **changes):
    return decline_claim(
        **{
            "claim_id": claim.pk,
            "answer": "Your click came after the order.",
            "actor_id": staff.pk,
            "now": LATER,
            **changes,
        }
    )


def accounts(affiliate):
    found = balances_of(affiliate.pk).get("EUR", {})
    return {name: amount for name, amount in found.items() if amount}


def everything():
    return (
        written(),
        list(MissingSaleClaim.objects.order_by("pk").values_list()),
        list(OrderReferral.objects.order_by("pk").values_list()),
        DecisionOverride.objects.count(),
    )


def test_a_grant_decides_the_order_anew_and_moves_its_money(
    claim, rivals_order, staff, affiliate, rival
):
    grant(claim, rivals_order, staff, answer="You were right.")

    claim.refresh_from_db()
    assert (claim.status, claim.answer, claim.referral, claim.decided_by) == (
        "granted",
        "You were right.",
        rivals_order,
        staff,
    )
    assert claim.decided_at == LATER
    rivals_order.refresh_from_db()
    assert (rivals_order.affiliate, rivals_order.reason) == (affiliate, "staff")
    override = DecisionOverride.objects.get()
    assert (override.referral, override.affiliate) == (rivals_order, affiliate)
    assert (override.actor, override.reason, override.at) == (staff, REASON, LATER)
    assert accounts(rival) == {}
    assert accounts(affiliate) == {Account.EXPENSE: -1000, Account.PENDING: 1000}
    assert Commission.objects.get(affiliate=rival).status == "rejected"


def test_a_grant_before_the_payment_earns_with_it(
    claim, affiliate, rival, buyer, plan, staff
):
    order = order_of(rival, buyer, order_ref="order-1", invoice_ref="invoice-1")

    grant(claim, order, staff)
    Till(affiliate.brand_id).pay()

    assert accounts(rival) == {}
    assert accounts(affiliate) == {Account.EXPENSE: -1000, Account.PENDING: 1000}


def test_a_grant_answers_by_itself(claim, rivals_order, staff):
    grant(claim, rivals_order, staff)

    claim.refresh_from_db()
    assert answers_to([claim])[claim.pk] == ["Granted: the order is credited to you."]


def test_an_order_that_nobody_was_credited_for_can_be_granted(
    claim, brand, buyer, plan, staff, affiliate
):
    order = OrderReferralFactory(
        brand=brand, client=buyer, order_ref="order-1", invoice_ref="invoice-1"
    )
    Till(brand.pk).pay()

    grant(claim, order, staff)

    assert accounts(affiliate) == {Account.EXPENSE: -1000, Account.PENDING: 1000}


def test_an_answered_claim_can_still_be_granted(
    rivals_order, affiliate, staff, buyer, plan
):
    claim = MissingSaleClaimFactory(
        affiliate=affiliate,
        order_hint="order-1",
        status=ClaimStatus.ANSWERED,
        answer="This order is not credited to you.",
        referral=rivals_order,
    )

    grant(claim, rivals_order, staff)

    claim.refresh_from_db()
    assert claim.status == "granted"


def test_a_note_about_a_lost_order_waits_for_staff_in_the_queue(
    rivals_order, affiliate
):
    OrderReferral.objects.filter(pk=rivals_order.pk).update(
        decision={"candidates": [{"affiliate_id": affiliate.pk}]}
    )
    hints = Hints(order="order-1")

    answered, _ = submit_claim(affiliate=affiliate, hints=hints, now=NOW)
    noted, is_news = submit_claim(
        affiliate=affiliate, hints=hints, note=marker("affiliate", "note"), now=NOW
    )
    again, _ = submit_claim(affiliate=affiliate, hints=hints, now=NOW)

    assert answered.status == "answered"
    assert (noted.status, noted.referral, is_news) == ("open", rivals_order, True)
    assert again.status == "open"
    assert answers_to([again])[again.pk] == [WAITING]


def test_a_decline_answers_and_moves_nothing(claim, rivals_order, staff):
    before = everything()

    decline(claim, staff)

    claim.refresh_from_db()
    assert (claim.status, claim.answer, claim.referral) == (
        "declined",
        "Your click came after the order.",
        None,
    )
    assert (claim.decided_by, claim.decided_at) == (staff, LATER)
    after = everything()
    assert (after[0], *after[2:]) == (before[0], *before[2:])


@pytest.mark.parametrize(
    ("_case", "changes", "code"),
    [
        ("no reason", {"reason": "  "}, "reason_required"),
        ("a long reason", {"reason": "x" * 256}, "reason_required"),
        ("a long answer", {"answer": "x" * 1001}, "too_long"),
    ],
)
def test_a_grant_that_is_not_explained_changes_nothing(
    _case, changes, code, claim, rivals_order, staff
):
    before = everything()

    with pytest.raises(InvalidInput) as refused:
        grant(claim, rivals_order, staff, **changes)

    assert refused.value.code == code
    assert everything() == before


@pytest.mark.parametrize("answer", ["", "  ", "x" * 1001])
def test_a_decline_without_a_usable_answer_changes_nothing(answer, claim, staff):
    before = everything()

    with pytest.raises(InvalidInput):
        decline(claim, staff, answer=answer)

    assert everything() == before


def test_another_brands_order_cannot_be_granted(claim, host, staff):
    other = BrandFactory(client_area="other.example.net")
    client = host.client(other, email="ada@example.net")
    order = OrderReferralFactory(brand=other, client=client)
    before = everything()

    with pytest.raises(NotFound):
        grant(claim, order, staff)

    assert everything() == before


def test_a_suspended_affiliate_is_granted_nothing(
    claim, rivals_order, staff, affiliate
):
    type(affiliate).objects.filter(pk=affiliate.pk).update(
        status=AffiliateStatus.SUSPENDED
    )
    before = everything()

    with pytest.raises(AffiliatesError):
        grant(claim, rivals_order, staff)

    assert everything() == before


def test_an_order_that_is_theirs_already_cannot_be_granted(
    claim, affiliate, buyer, plan, staff
):
    order = order_of(affiliate, buyer, order_ref="order-1", invoice_ref="invoice-1")
    before = everything()

    with pytest.raises(StateConflict) as refused:
        grant(claim, order, staff)

    assert refused.value.code == "already_credited"
    assert everything() == before


def test_a_decided_claim_stays_as_it_is(claim, rivals_order, staff):
    grant(claim, rivals_order, staff)
    before = everything()

    for again in (
        lambda: grant(claim, rivals_order, staff),
        lambda: decline(claim, staff),
    ):
        with pytest.raises(StateConflict) as refused:
            again()
        assert refused.value.code == "already_decided"

    assert everything() == before


def test_an_absent_claim_is_not_found(claim, rivals_order, staff):
    before = everything()

    with pytest.raises(NotFound):
        grant(claim, rivals_order, staff, claim_id=uuid4())
    with pytest.raises(NotFound):
        decline(claim, staff, claim_id=uuid4())

    assert everything() == before


@pytest.mark.parametrize(
    ("_case", "hints", "found"),
    [
        ("by the order", {"order_hint": "order-1"}, ["order-1"]),
        ("by the invoice", {"order_hint": "invoice-1"}, ["order-1"]),
        ("nothing fits", {"order_hint": "order-9"}, []),
        ("by the client", {"client_hint": "BUYER@example.com"}, ["order-2", "order-1"]),
        (
            "by client and day",
            {"client_hint": "buyer@example.com", "ordered_on": NOW.date()},
            ["order-1"],
        ),
        (
            "two days off at most",
            {
                "client_hint": "buyer@example.com",
                "ordered_on": (NOW - timedelta(days=3)).date(),
            },
            [],
        ),
        (
            "by either",
            {"order_hint": "order-1", "client_hint": "other@example.com"},
            ["order-1"],
        ),
    ],
)
def test_staff_are_shown_the_orders_it_may_be_about(
    _case, hints, found, affiliate, brand, buyer, host
):
    OrderReferralFactory(
        brand=brand, client=buyer, order_ref="order-1", invoice_ref="invoice-1"
    )
    OrderReferralFactory(
        brand=brand,
        client=buyer,
        order_ref="order-2",
        converted_at=NOW + timedelta(days=9),
    )
    other = BrandFactory(client_area="other.example.net")
    client = host.client(other, email="buyer2@example.com")
    OrderReferralFactory(
        brand=other, client=client, order_ref="order-1", invoice_ref="invoice-1"
    )
    claim = MissingSaleClaimFactory(affiliate=affiliate, **{"order_hint": "", **hints})

    assert [one.order_ref for one in suggested_orders(claim)] == found


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_of_staff_at_once_decide_once(claim, rivals_order, staff, affiliate):
    def decide(number):
        try:
            if number % 2:
                return grant(claim, rivals_order, staff).status
            return decline(claim, staff).status
        except StateConflict as conflict:
            return conflict.code

    answers = at_once(8, decide)

    claim.refresh_from_db()
    assert sorted(answers) == sorted([claim.status, *["already_decided"] * 7])
    is_granted = claim.status == "granted"
    assert DecisionOverride.objects.count() == int(is_granted)
    assert accounts(affiliate) == (
        {Account.EXPENSE: -1000, Account.PENDING: 1000} if is_granted else {}
    )


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_the_same_claim_at_once_is_one_case(affiliate):
    submitted = at_once(
        8,
        lambda _: submit_claim(
            affiliate=affiliate, hints=Hints(order="order-1"), now=NOW
        ),
    )

    assert len({claim.pk for claim, _ in submitted}) == 1
    assert MissingSaleClaim.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_notes_added_at_once_one_is_kept_and_told(brand, affiliate):
    Brand.objects.update(staff_emails="ops@example.com")
    hints = Hints(order="order-1")
    submit_claim(affiliate=affiliate, hints=hints, now=NOW)

    submitted = at_once(
        8,
        lambda number: submit_claim(
            affiliate=affiliate, hints=hints, note=f"Note {number}", now=NOW
        ),
    )

    [kept] = [claim.note for claim, is_news in submitted if is_news]
    assert {claim.note for claim, _ in submitted} == {kept}
    assert MissingSaleClaim.objects.get().note == kept
    told = [one.values["note"] for one in Email.objects.order_by("pk")]
    assert told == ["", kept]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_note_waits_for_the_decision_that_is_being_made(claim, affiliate, staff):
    decided = Event()

    def decide():
        with transaction.atomic():
            decline(claim, staff)
            decided.set()
            await_lock()

    def add():
        decided.wait(timeout=30)
        return submit_claim(
            affiliate=affiliate, hints=Hints(order="order-1"), note="?", now=LATER
        )

    _, (submitted, is_news) = at_once(2, lambda number: (decide, add)[number]())

    before = claim.note
    claim.refresh_from_db()
    assert (is_news, submitted.status) == (False, "declined")
    assert (claim.status, claim.note) == ("declined", before)
