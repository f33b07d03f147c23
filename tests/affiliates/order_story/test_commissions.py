"""An order's story: who earned what, why, and what is to come."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import reject
from tests.affiliates.till import AFTER_HOLD, PAID_AT
from tests.factories.commissions import bring_to, pay, payout_of
from tests.factories.plans import CommissionPlanFactory


def story_of(client, referral):
    url = reverse("admin:affiliates_orderreferral_change", args=[referral.pk])
    return client.get(url)


def test_story_tells_who_earned_what_why_and_what_is_to_come(
    admin_client, order, commission, till
):
    till.refund("25.00")

    page = story_of(admin_client, order)

    [story] = page.context["story"].commissions
    assert (story.title, story.amount, story.left) == (
        "Initial invoice invoice-1",
        "€10.00",
        "€7.50",
    )
    assert [line.amount for line in story.lines] == ["€9.00", "€1.00"]
    assert story.refunds == ("2 Mar 2026: €2.50 taken back. Refund of €25.00.",)
    assert story.outlook == (
        "Matures on 31 Mar 2026; €7.50 will be paid with the next payout."
    )
    for words in (story.outlook, story.lines[0].sentences[0], *story.refunds):
        assert words in page.content.decode()
    titles = [event.title for event in page.context["story"].events]
    assert titles[-4:] == ["Sale", "Commission earned", "Refund", "Commission"]


def test_story_says_what_a_renewal_counts_as(admin_client, plan, order, till):
    for number, net in enumerate(["0.00", "20.00", "0.00", "20.00"]):
        till.pay(
            net, **{"invoice": f"renewal-{number}"} if number else {}, renewal=number
        )

    stories = story_of(admin_client, order).context["story"].commissions

    assert [story.title for story in stories] == [
        "Initial invoice invoice-1",
        "Renewal 1, counted as the first invoice, renewal-1",
        "Renewal 2, counted as renewal 1, renewal-2",
        "Renewal 3, counted as renewal 1, renewal-3",
    ]


@pytest.mark.parametrize(
    ("status", "outlook"),
    [
        ("pending", "Its hold ends on 31 Mar 2026. €10.00 will be paid once staff"),
        ("matured", "€10.00 will be paid once staff approve it."),
        ("held", "Nothing is paid until staff release it."),
        ("approved", "€10.00 will be paid with the next payout."),
        ("rejected", "Nothing will be paid."),
        ("paid", "Paid on 31 Mar 2026 by payout"),
    ],
)
def test_story_says_what_will_be_paid(
    status, outlook, admin_client, brand, order, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    bring_to(commission, CommissionStatus(status), actor=staff, now=AFTER_HOLD)

    [story] = story_of(admin_client, order).context["story"].commissions

    assert story.outlook.startswith(outlook)


def test_story_of_what_was_taken_back_after_its_payout(
    admin_client, brand, order, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    bring_to(commission, CommissionStatus.PAID, actor=staff, now=AFTER_HOLD)
    till.refund("40.00", at=AFTER_HOLD + timedelta(days=1))

    [story] = story_of(admin_client, order).context["story"].commissions

    assert story.outlook.endswith("€4.00 are taken from the next payout.")


def test_story_of_what_was_taken_back_while_its_payout_was_under_way(
    admin_client, brand, order, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    till.refund("10.00")
    bring_to(commission, CommissionStatus.APPROVED, actor=staff, now=AFTER_HOLD)
    payout = payout_of(commission, now=AFTER_HOLD)
    till.refund("40.00", ref="refund-2", at=AFTER_HOLD)
    pay(payout, actor=staff, now=AFTER_HOLD + timedelta(days=1))

    [story] = story_of(admin_client, order).context["story"].commissions

    assert story.outlook == (
        f"Paid on 1 Apr 2026 by payout {payout.pk}. "
        "€4.00 are taken from the next payout."
    )


def test_story_names_who_decided(admin_client, order, commission, staff):
    reject(
        commission_ids=[commission.pk], actor_id=staff.pk, reason="Odd", now=AFTER_HOLD
    )

    [story] = story_of(admin_client, order).context["story"].commissions

    assert story.decisions == (f"31 Mar 2026: Rejected by {staff}. Odd",)


def test_story_has_the_renewals_too(admin_client, order, commission, till):
    till.pay("50.00", invoice="renewal-1", renewal=1, at=PAID_AT + timedelta(days=31))

    story = story_of(admin_client, order).context["story"]

    assert [one.title for one in story.commissions] == [
        "Initial invoice invoice-1",
        "Renewal 1 renewal-1",
    ]
    assert "Renewal 1, invoice renewal-1: €50.00 paid" in story.events[-3].text
