"""What the pages of staff's actions ask, in Django admin."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission
from tests.affiliates.till import order_of

LIST = "admin:affiliates_commission_changelist"
# Of the page's own form: the rest of the admin has forms as well.
CONFIRM = 'name="confirmed"'


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
