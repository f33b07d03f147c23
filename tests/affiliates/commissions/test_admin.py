"""Commissions in Django admin, and their part in the story of an order."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import hold, reject
from affiliates.referrals.models import DecisionOverride
from tests.affiliates.till import AFTER_HOLD, PAID_AT, order_of, written
from tests.factories.commissions import bring_to
from tests.factories.plans import CommissionPlanFactory

LIST = "admin:affiliates_commission_changelist"


@pytest.fixture
def commission(plan, order, till) -> Commission:
    till.pay("90.00", "10.00")
    return Commission.objects.get()


def page_of(client, commission: Commission) -> str:
    url = reverse("admin:affiliates_commission_change", args=[commission.pk])
    return client.get(url).content.decode()


def story_of(client, referral):
    url = reverse("admin:affiliates_orderreferral_change", args=[referral.pk])
    return client.get(url)


def choose(client, what: str, *commissions: Commission, **fields: str):
    data = {
        "action": what,
        "_selected_action": [one.pk for one in commissions],
        **fields,
    }
    return client.post(reverse(LIST), data)


def test_list_filters_and_searches(admin_client, commission, affiliate, rival, plan):
    for query in (
        {"q": "invoice-1"},
        {"q": "order-1"},
        {"q": "partner"},
        {"status__exact": "pending"},
        {"affiliate": affiliate.pk},
        {"plan_version__plan__id__exact": plan.pk},
        {"earned_at__year": "2026"},
    ):
        text = admin_client.get(reverse(LIST), query).content.decode()
        assert "€10.00" in text, query
    for query in ({"q": "nobody"}, {"affiliate": rival.pk}, {"status__exact": "paid"}):
        assert "€10.00" not in admin_client.get(reverse(LIST), query).content.decode()


def test_list_costs_the_same_for_many(admin_client, plan, affiliate, buyer, till):
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            admin_client.get(reverse(LIST))
        return len(queries)

    def sell(number: int) -> None:
        order_of(affiliate, buyer, order_ref=f"o-{number}", invoice_ref=f"i-{number}")
        till.pay(order=f"o-{number}", invoice=f"i-{number}")

    sell(0)
    few = asked()
    for number in range(1, 6):
        sell(number)

    assert asked() == few


def test_page_shows_receipt_steps_refunds_and_postings(
    admin_client, commission, till, staff
):
    till.refund("25.00")
    hold(
        commission_ids=[commission.pk],
        actor_id=staff.pk,
        reason="Odd address",
        now=AFTER_HOLD,
    )

    text = page_of(admin_client, commission)

    for words in (
        "€10.00",
        "€7.50",
        "Business: €9.00",
        "version 1",
        "refund-1",
        "Odd address",
        "Refund refund-1 took 2.50 EUR back.",
        "Commission earned",
        "Program expense: -€10.00",
        "Held: €7.50",
        "The story of order order-1",
    ):
        assert words in text, words


def test_action_asks_for_a_reason_first(admin_client, commission):
    before = written()

    page = choose(admin_client, "hold", commission)
    again = choose(admin_client, "hold", commission, confirmed="yes", reason="")

    assert "What is held is not paid until you release it." in page.content.decode()
    assert "This field is required." in again.content.decode()
    assert written() == before


@pytest.mark.parametrize(
    ("action", "status", "result", "told"),
    [
        ("approve", "matured", "approved", "1 commission approved."),
        ("hold", "pending", "held", "1 commission held."),
        ("release", "held", "matured", "1 commission released."),
        ("reject", "pending", "rejected", "1 commission rejected."),
    ],
)
def test_action_is_done_when_confirmed(
    action, status, result, told, admin_client, admin_user, brand, order, till, staff
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    bring_to(commission, CommissionStatus(status), actor=staff, now=AFTER_HOLD)

    answer = choose(admin_client, action, commission, confirmed="yes", reason="Seen")

    commission.refresh_from_db()
    assert commission.status == result
    assert commission.events.filter(actor=admin_user).get().reason_text == "Seen"
    assert [str(one) for one in get_messages(answer.wsgi_request)] == [told]


def test_action_says_what_it_left(admin_client, commission, staff):
    reject(
        commission_ids=[commission.pk], actor_id=staff.pk, reason="Odd", now=AFTER_HOLD
    )

    answer = choose(admin_client, "hold", commission, confirmed="yes", reason="Seen")

    assert [str(one) for one in get_messages(answer.wsgi_request)] == [
        "0 commissions held. 1 left as they are: their status does not allow it."
    ]


def test_action_on_the_page_of_a_commission(admin_client, commission):
    url = reverse("admin:affiliates_commission_reject_one", args=[commission.pk])

    question = admin_client.get(url)
    admin_client.post(url, {"confirmed": "yes", "reason": "Odd"})

    commission.refresh_from_db()
    assert "gone for good" in question.content.decode()
    assert commission.status == "rejected"


def test_action_on_a_commission_that_is_not_there(admin_client, db):
    url = reverse("admin:affiliates_commission_reject_one", args=[999])

    assert admin_client.get(url).status_code in (302, 404)


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
    assert story.refunds == ("2 Mar 2026: €2.50 taken back by refund refund-1.",)
    assert story.outlook == (
        "Matures on 31 Mar 2026; €7.50 will be paid with the next payout."
    )
    for words in (story.outlook, story.lines[0].sentences[0], *story.refunds):
        assert words in page.content.decode()
    titles = [event.title for event in page.context["story"].events]
    assert titles[-4:] == ["Sale", "Commission earned", "Refund", "Commission"]


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


def test_assigning_shows_what_follows_then_does_it(
    admin_client, order, commission, rival
):
    url = reverse("admin:affiliates_orderreferral_assign", args=[order.pk])
    fields = {"code": "rival", "reason": "Agreed by mail"}

    form = admin_client.get(url).content.decode()
    question = admin_client.post(url, fields).content.decode()
    assert DecisionOverride.objects.count() == 0
    answer = admin_client.post(url, {**fields, "confirmed": "yes"})

    assert "Affiliate&#x27;s code" in form or "Affiliate's code" in form
    assert "1 paid invoice of this order" in question
    assert answer.status_code == 302
    assert DecisionOverride.objects.get().reason == "Agreed by mail"
    assert Commission.objects.get(status="pending").affiliate == rival
    story = story_of(admin_client, order).context["story"]
    told = {event.title: event.text for event in story.events}
    assert "Credited: partner. The last click" in told["Conversion"]
    assert told["Staff's assignment"].endswith(
        "gave the order to rival: Agreed by mail"
    )


@pytest.mark.parametrize(
    ("code", "reason"), [("unknown", "Agreed"), ("rival", ""), ("rival", "x" * 256)]
)
def test_assigning_refuses_bad_input(
    code, reason, admin_client, order, commission, rival
):
    url = reverse("admin:affiliates_orderreferral_assign", args=[order.pk])
    before = written()

    answer = admin_client.post(
        url, {"code": code, "reason": reason, "confirmed": "yes"}
    )

    assert answer.status_code == 200
    assert written() == before
    assert DecisionOverride.objects.count() == 0


def test_stranger_decides_nothing(client, commission):
    url = reverse("admin:affiliates_commission_reject_one", args=[commission.pk])

    answer = client.post(url, {"confirmed": "yes", "reason": "Odd"})

    commission.refresh_from_db()
    assert answer.status_code in (302, 403)
    assert commission.status == "pending"
