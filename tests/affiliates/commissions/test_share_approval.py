"""A share is approved with the commission that it is of or after it, never before."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission, CommissionEvent
from affiliates.commissions.rules import CommissionStatus, StaffAction
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import approve, hold, release
from tests.affiliates.till import AFTER_HOLD
from tests.affiliates.verification.finding import everything_found, found_after
from tests.append_only import unguarded
from tests.database import nothing_written
from tests.factories.plans import CommissionPlanFactory

PENDING, MATURED = CommissionStatus.PENDING, CommissionStatus.MATURED
HELD, APPROVED = CommissionStatus.HELD, CommissionStatus.APPROVED
LIST = "admin:affiliates_commission_changelist"


@pytest.fixture
def staff(admin_user):
    return {"actor_id": admin_user.pk, "reason": "Looked at.", "now": AFTER_HOLD}


@pytest.fixture
def earned(brand, affiliate, rival, order, till):
    """The keys of a commission, whose plan waits for staff, and of its share."""
    CommissionPlanFactory(
        brand=brand,
        is_default=True,
        approves_itself=False,
        recruiter_percent=Decimal(20),
    )
    affiliate.recruiter = rival
    affiliate.save()
    till.pay()
    rows = Commission.objects.order_by("pk")
    return list(rows.values_list("pk", flat=True))


def statuses() -> tuple[str, ...]:
    return tuple(Commission.objects.order_by("pk").values_list("status", flat=True))


def nothing_yet(earned, staff):
    """Both are in their hold."""


def matured(earned, staff):
    mature_due(now=AFTER_HOLD)


def own_is_held(earned, staff):
    mature_due(now=AFTER_HOLD)
    hold(commission_ids=earned[:1], **staff)


def share_is_released_from_a_held_one(earned, staff):
    own_is_held(earned, staff)
    release(commission_ids=earned[1:], **staff)


def share_was_held_alone(earned, staff):
    hold(commission_ids=earned[1:], **staff)
    mature_due(now=AFTER_HOLD)
    release(commission_ids=earned[1:], **staff)


WAYS = {
    nothing_yet: (PENDING, PENDING),
    matured: (MATURED, MATURED),
    own_is_held: (HELD, HELD),
    share_is_released_from_a_held_one: (HELD, PENDING),
    share_was_held_alone: (MATURED, MATURED),
}


@pytest.mark.parametrize("way", WAYS)
def test_staff_and_time_leave_a_share_waiting_for_its_commission(way, earned, staff):
    way(earned, staff)

    with nothing_written():
        done = approve(commission_ids=earned[1:], **staff)
        waiting = mature_due(now=AFTER_HOLD) if way is not nothing_yet else None

    assert (done, statuses()) == (0, WAYS[way])
    assert waiting is None or waiting.total == 0
    assert everything_found() == []


def test_approving_both_at_once_approves_both(earned, staff):
    matured(earned, staff)

    done = approve(commission_ids=earned, **staff)

    assert (done, statuses()) == (2, (APPROVED, APPROVED))
    assert everything_found() == []


def test_share_that_was_held_alone_is_approved_after_its_commission(earned, staff):
    hold(commission_ids=earned[1:], **staff)
    mature_due(now=AFTER_HOLD)
    approve(commission_ids=earned[:1], **staff)
    assert statuses() == (APPROVED, HELD)

    release(commission_ids=earned[1:], **staff)
    done = approve(commission_ids=earned[1:], **staff)

    assert (done, statuses()) == (1, (APPROVED, APPROVED))
    assert everything_found() == []


def test_page_says_that_a_share_goes_along(admin_client, earned, staff):
    matured(earned, staff)

    page = admin_client.post(
        reverse(LIST), {"action": StaffAction.APPROVE, "_selected_action": earned}
    )

    assert "With the commission that it is a share of" in page.content.decode()


def test_page_says_what_the_share_waits_for(admin_client, earned, staff):
    matured(earned, staff)
    url = reverse("admin:affiliates_commission_approve_one", args=[earned[1]])

    text = admin_client.get(url).content.decode()

    assert "No: the commission that it is a share of is not approved yet" in text
    assert "Nothing can be done here." in text


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (
            slice(1, 2),
            "0 commissions approved. 1 left as they are: their status does not allow it, "
            "or they are shares of commissions that are not approved yet.",
        ),
        (slice(0, 2), "2 commissions approved."),
    ],
)
def test_list_says_how_many_it_approved(chosen, said, admin_client, earned, staff):
    matured(earned, staff)
    fields = {
        "action": StaffAction.APPROVE,
        "_selected_action": earned[chosen],
        "confirmed": "yes",
        "reason": "Looked at.",
    }

    page = admin_client.post(reverse(LIST), fields, follow=True)

    assert [str(one) for one in page.context["messages"]] == [said]


def test_verification_finds_a_share_that_was_approved_before(earned, staff):
    mature_due(now=AFTER_HOLD)
    approve(commission_ids=earned, **staff)
    steps = CommissionEvent.objects.filter(commission_id=earned[0], after=APPROVED)

    @unguarded()
    def approve_earlier() -> None:
        steps.update(after=MATURED)

    assert (
        f"Commission {earned[1]} was approved before commission {earned[0]}, which it is "
        "a share of."
    ) in found_after(approve_earlier)
