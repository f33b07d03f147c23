"""What the pages of staff's actions ask, in Django admin."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from affiliates.admin_tools.columns import moment
from affiliates.commissions.models import Commission, CommissionEvent
from tests.affiliates.till import order_of

LIST = "admin:affiliates_commission_changelist"
# Of the page's own form: the rest of the admin has forms as well.
CONFIRM = 'name="confirmed"'
QUEUE = "?status__in=matured"


def question(client, action: str, commission: Commission) -> str:
    url = reverse(f"admin:affiliates_commission_{action}_one", args=[commission.pk])
    return client.get(url).content.decode()


@pytest.mark.parametrize("action", ["approve", "release"])
def test_nothing_is_asked_where_nothing_can_be_done(action, admin_client, commission):
    text = question(admin_client, action, commission)

    assert "No: its status does not allow it" in text
    assert "Nothing can be done here." in text
    assert CONFIRM not in text
    assert 'name="reason"' not in text


@pytest.mark.parametrize("action", ["hold", "reject"])
def test_a_reason_is_asked_for_where_it_can_be_done(action, admin_client, commission):
    text = question(admin_client, action, commission)

    assert "Nothing can be done here." not in text
    assert CONFIRM in text
    assert 'name="reason"' in text
    assert 'name="for_affiliate"' in text


@pytest.mark.parametrize("action", ["hold", "reject"])
def test_what_the_affiliate_reads_is_a_field_of_its_own(
    action, admin_client, commission
):
    url = reverse(f"admin:affiliates_commission_{action}_one", args=[commission.pk])

    admin_client.post(
        url, {"confirmed": "yes", "reason": "Odd", "for_affiliate": "A test order."}
    )

    event = commission.events.last()
    assert event.reason_details == {"note": "Odd", "for_affiliate": "A test order."}


def test_one_that_can_be_done_is_enough(
    admin_client, affiliate, buyer, commission, till
):
    Commission.objects.update(status="held")
    order_of(affiliate, buyer, order_ref="order-2", invoice_ref="invoice-2")
    till.pay(order="order-2", invoice="invoice-2")
    chosen = list(Commission.objects.values_list("pk", flat=True))

    page = admin_client.post(
        reverse(LIST), {"action": "release", "_selected_action": chosen}
    )

    assert len(chosen) == 2
    assert CONFIRM in page.content.decode()


def test_those_that_are_not_shown_may_be_what_can_be_done(
    admin_client, commission, monkeypatch
):
    monkeypatch.setattr("affiliates.admin_tools.confirmation.SHOWN", 0)

    assert CONFIRM in question(admin_client, "release", commission)


def test_what_is_over_the_limit_is_said_and_left(
    admin_client, affiliate, buyer, commission, till, monkeypatch
):
    monkeypatch.setattr("affiliates.admin_tools.confirmation.MAX_SELECTED", 1)
    order_of(affiliate, buyer, order_ref="order-2", invoice_ref="invoice-2")
    till.pay("50.00", order="order-2", invoice="invoice-2")
    chosen = list(Commission.objects.values_list("pk", flat=True))
    fields = {"action": "hold", "_selected_action": chosen, "select_across": "1"}

    page = admin_client.post(reverse(LIST), fields)
    before = Commission.objects.filter(status="held").count()
    admin_client.post(reverse(LIST), {**fields, "confirmed": "yes", "reason": "Odd"})

    text = " ".join(page.content.decode().split())
    assert "1 commission, €10.00 in all. At most" in text
    assert page.context["selected"] == [commission.pk]
    assert before == 0
    assert list(Commission.objects.filter(status="held")) == [commission]


def test_each_rejected_commission_may_have_a_reason_of_its_own(
    admin_client, affiliate, buyer, commission, till
):
    order_of(affiliate, buyer, order_ref="order-2", invoice_ref="invoice-2")
    till.pay(order="order-2", invoice="invoice-2")
    other = Commission.objects.exclude(pk=commission.pk).get()
    chosen = {"action": "reject", "_selected_action": [commission.pk, other.pk]}
    answer = {"reason": "Fake", f"reason-of-{other.pk}": "His own card"}

    admin_client.post(reverse(LIST), {**chosen, "confirmed": "yes", **answer})

    told = {
        one.pk: one.events.latest("pk").reason_text
        for one in Commission.objects.filter(status="rejected")
    }
    assert set(told) == {commission.pk, other.pk}
    assert "Fake" in told[commission.pk]
    assert "His own card" in told[other.pk]


@pytest.fixture
def queue(affiliate, buyer, commission, till):
    """Three commissions that wait for approval."""
    for number in (2, 3):
        order, invoice = f"order-{number}", f"invoice-{number}"
        order_of(affiliate, buyer, order_ref=order, invoice_ref=invoice)
        till.pay(order=order, invoice=invoice)
    Commission.objects.update(status="matured")
    return list(Commission.objects.order_by("pk").values_list("pk", flat=True))


def decide(client, action, chosen, query=QUEUE):
    fields = {"action": action, "_selected_action": chosen, "confirmed": "yes"}
    page = client.post(reverse(LIST) + query, {**fields, "reason": "Fine"})
    return page.url, [str(message) for message in get_messages(page.wsgi_request)]


@pytest.mark.parametrize(
    ("_case", "query", "back", "left"),
    [
        ("a queue", QUEUE, QUEUE, ["1 commission left in this list."]),
        (
            "another page",
            f"{QUEUE}&p=2",
            f"?p=1&{QUEUE[1:]}",
            ["1 commission left in this list."],
        ),
        ("all", "", "", []),
        ("a filter that they keep to", "?q=partner", "?q=partner", []),
    ],
)
def test_decision_returns_to_the_queue_and_says_what_is_left(
    admin_client, queue, _case, query, back, left
):
    url, messages = decide(admin_client, "approve", queue[:2], query)

    assert url == reverse(LIST) + back
    assert messages == ["2 commissions approved.", *left]


def test_cancel_returns_to_the_queue(admin_client, queue):
    chosen = {"action": "approve", "_selected_action": queue[:2]}

    page = admin_client.post(f"{reverse(LIST)}{QUEUE}&q=partner", chosen)

    assert page.context["back"] == f"{reverse(LIST)}{QUEUE}&q=partner"


@pytest.mark.parametrize(
    ("query", "first", "then", "done"),
    [
        (QUEUE, "approve", "reject", []),
        (
            "",
            "reject",
            "hold",
            ["0 commissions held. 2 left as they are: their status does not allow it."],
        ),
    ],
)
def test_rows_that_another_person_decided_first_are_named(
    admin_client, admin_user, queue, query, first, then, done
):
    _, earlier = decide(admin_client, first, queue[:2])
    event = CommissionEvent.objects.filter(actor=admin_user).latest("pk")

    _, messages = decide(admin_client, then, queue[:2], query)

    assert messages[len(earlier) :] == [
        *done,
        f"2 were {event.after} on {moment(event.at)} by {admin_user}.",
    ]
    assert CommissionEvent.objects.filter(actor=admin_user).count() == 2
