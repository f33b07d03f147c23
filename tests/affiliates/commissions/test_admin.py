"""Commissions in Django admin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.columns import moment
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import hold, reject
from tests.affiliates.till import AFTER_HOLD, SOLD, order_of, written
from tests.factories.commissions import bring_to
from tests.factories.plans import CommissionPlanFactory

LIST = "admin:affiliates_commission_changelist"


def page_of(client, commission: Commission) -> str:
    url = reverse("admin:affiliates_commission_change", args=[commission.pk])
    return client.get(url).content.decode()


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


@pytest.mark.parametrize(
    ("hold", "days"),
    [("over", (-9, 0)), ("week", (0, 6)), ("month", (0, 6, 7, 29)), ("moon", None)],
)
def test_list_by_the_end_of_the_hold(admin_client, commission, hold, days):
    noon = timezone.localtime().replace(hour=12)
    for day in (-9, 0, 6, 7, 29, 30):
        matures_at = noon + timedelta(days=day)
        Commission.objects.filter(pk=commission.pk).update(matures_at=matures_at)

        listed = admin_client.get(reverse(LIST), {"hold": hold}).context["cl"]

        assert listed.result_count == int(days is None or day in days), day

    Commission.objects.update(status=CommissionStatus.HELD, matures_at=noon)
    listed = admin_client.get(reverse(LIST), {"hold": hold}).context["cl"]
    assert listed.result_count == int(days is None)


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
        f"{SOLD}: €9.00",
        "version 1",
        "refund-1",
        "Odd address",
        "Refund refund-1 took €2.50 back.",
        "Commission earned",
        "Program expense: -€10.00",
        "Held: €7.50",
        "The story of the order",
    ):
        assert words in text, words


def test_page_asks_little(admin_client, commission, django_assert_num_queries):
    page_of(admin_client, commission)

    with django_assert_num_queries(17):
        page_of(admin_client, commission)


def test_action_asks_for_a_reason_first(admin_client, commission):
    before = written()

    page = choose(admin_client, "hold", commission)
    again = choose(admin_client, "hold", commission, confirmed="yes", reason="")

    assert "What is held is not paid until you release it." in page.content.decode()
    assert "This field is required." in again.content.decode()
    assert written() == before


@pytest.mark.parametrize("page", ["list", "row"])
def test_approval_asks_for_no_reason(page, admin_client, commission):
    Commission.objects.update(status=CommissionStatus.MATURED)
    address = reverse("admin:affiliates_commission_approve_one", args=[commission.pk])

    if page == "list":
        choose(admin_client, "approve", commission, confirmed="yes", reason="")
    else:
        admin_client.post(address, {"confirmed": "yes", "reason": ""})

    assert Commission.objects.get().status == "approved"
    assert commission.events.latest("pk").reason_text == "Approved by staff."


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
        "0 commissions held. 1 left as they are: their status does not allow it.",
        f"1 was rejected on {moment(AFTER_HOLD)} by {staff}.",
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


def test_stranger_decides_nothing(client, commission):
    url = reverse("admin:affiliates_commission_reject_one", args=[commission.pk])

    answer = client.post(url, {"confirmed": "yes", "reason": "Odd"})

    commission.refresh_from_db()
    assert answer.status_code in (302, 403)
    assert commission.status == "pending"
