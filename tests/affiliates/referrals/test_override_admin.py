"""Staff's overrides in Django admin, and late clicks on the page of the brand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from affiliates.referrals.models import DecisionOverride
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.services import override_order
from tests.factories.affiliates import AffiliateFactory
from tests.factories.decisions import make_inputs, make_touch
from tests.factories.ledger import OrderReferralFactory, decision_of

LIST = "admin:affiliates_decisionoverride_changelist"
CHANGE = "admin:affiliates_decisionoverride_change"
BRAND = "admin:affiliates_brand_change"


@pytest.fixture
def override(affiliate, brand, host, admin_user, now) -> DecisionOverride:
    referral = OrderReferralFactory(
        brand=brand,
        client=host.client(brand, email="client@example.com"),
        order_ref="order-a",
        made=decision_of(),
    )
    override_order(
        referral_id=referral.pk,
        affiliate_id=affiliate.pk,
        reason="Agreed by phone",
        actor_id=admin_user.pk,
        now=now,
    )
    return DecisionOverride.objects.get()


def test_overrides_are_listed_with_who_and_why(
    admin_client, override, django_assert_max_num_queries
):
    with django_assert_max_num_queries(9):
        page = admin_client.get(reverse(LIST))

    text = page.content.decode()
    order = override.referral.invoice_ref
    for shown in (order, "Nobody credited", "partner", "Agreed by phone"):
        assert shown in text


@pytest.mark.parametrize("query", ["order-a", "partner", "phone"])
def test_override_is_found(admin_client, override, query):
    page = admin_client.get(reverse(LIST), {"q": query})

    assert list(page.context["cl"].result_list) == [override]


def test_override_is_looked_at_and_never_changed(admin_client, override):
    url = reverse(CHANGE, args=[override.pk])

    assert admin_client.get(url).status_code == 200
    assert admin_client.post(url, {"reason": "Other"}).status_code == 403
    assert DecisionOverride.objects.get().reason == "Agreed by phone"


def test_page_of_the_brand_counts_late_clicks(admin_client, affiliate, brand, host):
    user = host.client(brand, email="rival@example.com")
    rival = AffiliateFactory(brand=brand, user=user, code="hijacker")
    now = timezone.now()
    for number in range(2):
        OrderReferralFactory(
            brand=brand,
            client=host.client(brand, email=f"client{number}@example.com"),
            converted_at=now,
            made=decide(
                make_inputs(
                    make_touch(timedelta(days=1), affiliate.pk, now=now),
                    make_touch(timedelta(minutes=1), rival.pk, now=now),
                    now=now,
                )
            ),
            policy_version=None,
        )

    page = admin_client.get(reverse(BRAND, args=[brand.pk]))

    [formset] = [
        one.formset
        for one in page.context["inline_admin_formsets"]
        if one.formset.prefix == "affiliates"
    ]
    assert [form.instance for form in formset.initial_forms] == [rival]
    assert "hijacker" in page.content.decode()
