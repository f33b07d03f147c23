"""Giving an order to another affiliate, in Django admin."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.commissions.models import Commission
from affiliates.referrals.models import DecisionOverride
from tests.affiliates.till import written
from tests.factories.affiliates import AffiliateFactory, BrandFactory


def story_of(client, referral):
    url = reverse("admin:affiliates_orderreferral_change", args=[referral.pk])
    return client.get(url)


def test_assigning_shows_what_follows_then_does_it(
    admin_client, order, commission, rival
):
    url = reverse("admin:affiliates_orderreferral_assign", args=[order.pk])
    fields = {"affiliate": rival.pk, "reason": "Agreed by mail"}

    form = admin_client.get(url).content.decode()
    question = admin_client.post(url, fields).content.decode()
    assert DecisionOverride.objects.count() == 0
    answer = admin_client.post(url, {**fields, "confirmed": "yes"})

    assert "An active affiliate of this brand" in form
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
    ("to", "reason"),
    [("unknown", "Agreed"), ("elsewhere", "Agreed"), ("asleep", "Agreed")]
    + [("rival", ""), ("rival", "x" * 256)],
)
def test_assigning_refuses_bad_input(
    to, reason, admin_client, order, commission, rival, host
):
    url = reverse("admin:affiliates_orderreferral_assign", args=[order.pk])
    other = BrandFactory(client_area="other.example")
    elsewhere, asleep = (
        AffiliateFactory(
            brand=brand,
            user=host.client(brand, email=f"{status}@example.com"),
            status=status,
        )
        for brand, status in ((other, "active"), (rival.brand, "suspended"))
    )
    chosen = {"unknown": 0, "rival": rival.pk}
    chosen |= {"elsewhere": elsewhere.pk, "asleep": asleep.pk}
    before = written()

    answer = admin_client.post(
        url, {"affiliate": chosen[to], "reason": reason, "confirmed": "yes"}
    )

    assert answer.status_code == 200
    assert written() == before
    assert DecisionOverride.objects.count() == 0


def test_assigning_names_the_order_each_time(admin_client, order, rival):
    url = reverse("admin:affiliates_orderreferral_assign", args=[order.pk])

    form = admin_client.get(url).content.decode()
    last = admin_client.post(url, {"affiliate": rival.pk, "reason": "By mail"})

    named = "<dd>order-1, invoice invoice-1</dd>"
    assert named in form
    assert named in last.content.decode()
    assert "<dd>rival</dd>" in last.content.decode()
