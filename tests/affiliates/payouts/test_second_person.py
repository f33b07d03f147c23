"""A brand that asks for two persons: payouts that no run pays."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from affiliates.brands.models.staff import StaffBrand
from affiliates.emails.models import Email
from affiliates.errors import StateConflict
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.selectors import needs_second_person
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.terms import save_terms
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.payouts import DestinationFactory, earn
from tests.races import at_once, needs_postgresql

REFUSED = "A second person has to approve it, who did not start or prepare it."


@pytest.fixture
def started(affiliate, staff, now):
    """A payout that staff start."""

    def started(by=staff):
        DestinationFactory(affiliate=affiliate, to="paypal")
        earn(affiliate)
        return request_payout(
            affiliate_id=affiliate.pk, currency="EUR", now=now, started_by_id=by.pk
        )

    return started


def approve(payout, who, now):
    outcome = approve_payouts(payout_ids=[payout.pk], actor_id=who and who.pk, now=now)
    payout.refresh_from_db()
    return outcome


def refusal_of(payout, who, now) -> str:
    with nothing_written():
        outcome = approve(payout, who, now)
    assert (outcome.done, outcome.prepared) == (0, 0)
    [text] = outcome.refused
    return text.removeprefix(f"Payout {payout.pk}: ")


def people_of(payout):
    return payout.is_for_two, payout.prepared_by, payout.approved_by


def actors_of(payout):
    return [event.actor for event in payout.events.all()]


def test_who_started_it_does_not_approve_it(started, for_two, staff, second, now):
    payout = started()

    assert refusal_of(payout, staff, now) == REFUSED
    assert refusal_of(payout, None, now) == REFUSED
    assert approve(payout, second, now).done == 1

    assert (payout.status, *people_of(payout)) == ("approved", True, staff, second)
    assert steps_of(payout) == [("", "requested"), ("requested", "approved")]
    assert actors_of(payout) == [staff, second]


def test_what_the_affiliate_asked_for_takes_two_approvals(
    affiliate, requested, for_two, staff, second, now
):
    payout = requested()

    first = approve(payout, staff, now)

    assert (first.done, first.prepared, first.refused) == (0, 1, ())
    assert (payout.status, *people_of(payout)) == ("requested", False, staff, None)
    assert refusal_of(payout, staff, now) == REFUSED
    assert approve(payout, second, now).done == 1
    assert (payout.status, *people_of(payout)) == ("approved", True, staff, second)
    steps = [(one.before, one.after, one.reason) for one in payout.events.all()]
    assert steps == [
        ("", "requested", ""),
        (
            "requested",
            "requested",
            "Prepared: a second person has to approve it.",
        ),
        ("requested", "approved", ""),
    ]
    assert actors_of(payout) == [affiliate.user, staff, second]


def test_first_approval_is_not_announced_or_mailed(requested, for_two, staff, now):
    payout = requested()
    before = Email.objects.count()

    approve(payout, staff, now)

    assert Email.objects.count() == before


def test_one_person_starts_and_approves_where_no_other_is_needed(
    started, terms, staff, now
):
    payout = started()

    assert approve(payout, staff, now).done == 1

    assert (payout.status, *people_of(payout)) == ("approved", False, staff, staff)


@pytest.mark.parametrize("needed_then", [True, False])
def test_terms_count_as_they_are_at_the_approval(
    started, terms, staff, now, needed_then
):
    terms.needs_second_person = needed_then
    terms.save()
    payout = started()
    terms.needs_second_person = not needed_then
    terms.save()

    approve(payout, staff, now)

    assert payout.status == ("approved" if needed_then else "requested")


def test_nobody_starts_or_prepares_a_payout_to_themselves(
    affiliate, requested, for_two, now
):
    payout = requested()
    assert refusal_of(payout, affiliate.user, now) == (
        "It pays you yourself: somebody else has to approve it."
    )
    reject_payout(payout_id=payout.pk, reason="Anew", actor_id=None, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        request_payout(
            affiliate_id=affiliate.pk,
            currency="EUR",
            now=now,
            started_by_id=affiliate.user_id,
        )

    assert (refused.value.code, refused.value.detail) == (
        "own_payout",
        "It would pay you yourself: somebody else has to start it.",
    )


def test_who_prepared_it_may_reject_it(affiliate, requested, for_two, staff, now):
    payout = requested()
    approve(payout, staff, now)

    reject_payout(payout_id=payout.pk, reason="No", actor_id=staff.pk, now=now)

    assert standing(affiliate) == (10_000, 0, 0)


def test_affiliate_is_not_told_of_a_payout_that_staff_start(started, terms):
    started()

    assert not Email.objects.filter(kind="payout_requested").exists()


@pytest.mark.parametrize(
    "people",
    [
        {"prepared_by": 0, "approved_by": 0},
        {"prepared_by": None, "approved_by": 0},
        {"prepared_by": 0, "approved_by": None},
    ],
)
@pytest.mark.parametrize("status", ["approved", "exported"])
def test_the_database_refuses_one_person_for_two(started, staff, people, status):
    payout = started()
    ids = {name: staff.pk if who == 0 else None for name, who in people.items()}

    with pytest.raises(IntegrityError), transaction.atomic():
        Payout.objects.filter(pk=payout.pk).update(
            status=status, is_for_two=True, **ids
        )


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_first_approvals_at_once_one_prepares_and_one_approves(
    requested, for_two, staff, second, now
):
    payout = requested()
    people = [staff, second]

    outcomes = at_once(
        2,
        lambda number: approve_payouts(
            payout_ids=[payout.pk], actor_id=people[number].pk, now=now
        ),
    )

    payout.refresh_from_db()
    assert sorted((one.done, one.prepared) for one in outcomes) == [(0, 1), (1, 0)]
    first = [one.prepared for one in outcomes].index(1)
    assert people_of(payout) == (True, people[first], people[1 - first])
    assert actors_of(payout)[1:] == [people[first], people[1 - first]]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_one_person_at_once_in_two_windows_is_one_person(
    requested, for_two, staff, now
):
    payout = requested()

    outcomes = at_once(
        4,
        lambda _: approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now),
    )

    payout.refresh_from_db()
    assert payout.status == "requested"
    assert sorted(one.prepared for one in outcomes) == [0, 0, 0, 1]
    assert payout.events.count() == 2


@pytest.mark.parametrize(
    ("_case", "changed", "is_for_two"),
    [
        ("two who may approve", {}, True),
        ("one is not active", {"is_active": False}, False),
        ("one is no staff", {"is_staff": False}, False),
        ("one may not approve", {"is_superuser": False}, False),
    ],
)
def test_without_saved_terms_two_persons_are_needed_where_there_are_two(
    _case, changed, is_for_two, brand, admin_user, second
):
    second.brand = None
    for name, value in {"is_staff": True, "is_superuser": True, **changed}.items():
        setattr(second, name, value)
    second.save()

    assert needs_second_person(brand.pk) is is_for_two


def test_staff_of_another_brand_are_no_second_person(
    brand, admin_user, second, browser_of
):
    browser_of(second)
    assert needs_second_person(brand.pk)

    StaffBrand.objects.create(
        person=second, brand=BrandFactory(client_area="b.example")
    )

    assert not needs_second_person(brand.pk)


def test_out_of_the_box_one_of_two_cannot_pay_alone(
    brand, requested, admin_user, second, browser_of, now
):
    PayoutTerms.objects.all().delete()
    browser_of(second)
    payout = requested()

    first = approve_payouts(payout_ids=[payout.pk], actor_id=admin_user.pk, now=now)
    again = approve_payouts(payout_ids=[payout.pk], actor_id=admin_user.pk, now=now)

    assert (first.done, first.prepared, again.done) == (0, 1, 0)
    payout.refresh_from_db()
    assert payout.status == "requested"


def test_first_terms_of_a_brand_do_not_switch_it_off_alone(
    brand, admin_user, second, browser_of
):
    PayoutTerms.objects.all().delete()
    browser_of(second)
    terms = PayoutTerms(brand=brand, needs_second_person=False)

    assert not save_terms(terms, actor_id=admin_user.pk)

    saved = PayoutTerms.objects.get()
    assert (saved.needs_second_person, saved.single_person_asked_by_id) == (
        True,
        admin_user.pk,
    )
