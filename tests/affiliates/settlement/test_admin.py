"""Giving an order to another affiliate, in Django admin."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.referrals.models import DecisionOverride
from tests.affiliates.till import written


def story_of(client, referral):
    url = reverse("admin:affiliates_orderreferral_change", args=[referral.pk])
    return client.get(url)


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


def test_assigning_names_the_order_each_time(admin_client, order, rival):
    url = reverse("admin:affiliates_orderreferral_assign", args=[order.pk])

    form = admin_client.get(url).content.decode()
    last = admin_client.post(url, {"code": "rival", "reason": "By mail"})

    named = "<dd>order-1, invoice invoice-1</dd>"
    assert named in form
    assert named in last.content.decode()
    assert "<dd>rival</dd>" in last.content.decode()
