"""The operator's first page."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from tests.factories.affiliates import AffiliateFactory, BrandFactory

PAGE = "admin:affiliates_brand_overview"


@pytest.fixture
def helper_of(brand, admin_user, admin_client):
    """A browser of staff with these permissions."""

    def helper_of(*codenames):
        admin_user.is_superuser = False
        admin_user.save()
        permissions = Permission.objects.filter(codename__in=codenames)
        admin_user.user_permissions.set(permissions)
        return admin_client

    return helper_of


def test_an_empty_installation_is_told_what_comes_first(db, admin_client):
    page = admin_client.get(reverse(PAGE))

    assert page.status_code == 200
    assert "There is no brand yet" in page.content.decode()
    assert reverse("admin:affiliates_brand_guide") in page.content.decode()


def test_shows_what_waits_of_the_chosen_brand(brand, host, admin_client):
    other = BrandFactory(name="ZZ", client_area="zz.example.com")
    for number in range(3):
        user = host.client(other, email=f"new-{number}@example.com")
        AffiliateFactory(brand=other, user=user, status="pending")

    here = admin_client.get(reverse(PAGE), {"brand": brand.pk})
    there = admin_client.get(reverse(PAGE), {"brand": other.pk})

    assert here.context["waiting"] == []
    assert [(one.queue.name, one.count) for one in there.context["waiting"]] == [
        ("affiliates", 3)
    ]
    assert "Nothing. Every queue that you may see is empty." in here.content.decode()


def test_needs_the_right_to_see_brands(helper_of):
    assert helper_of("view_sale").get(reverse(PAGE)).status_code == 403


def test_shows_of_health_and_queues_what_one_may_see(helper_of):
    page = helper_of("view_brand", "view_payout").get(reverse(PAGE))

    assert [one.queue.name for one in page.context["idle"]] == ["payouts", "to_pay"]
    assert [part.name for part in page.context["health"]] == [
        "Background jobs",
        "Books",
    ]


def test_a_brand_without_affiliates_leads_to_its_first_steps(admin_client, brand):
    answer = admin_client.get(reverse(PAGE), {"brand": brand.pk})

    guide = reverse("admin:affiliates_brand_guide")
    assert f'href="{guide}?brand={brand.pk}"' in answer.text
    assert "Nothing happened on these days" not in answer.text


def test_a_brand_with_affiliates_says_that_nothing_happened(admin_client, affiliate):
    answer = admin_client.get(reverse(PAGE), {"brand": affiliate.brand_id})

    assert "Nothing happened on these days" in answer.text
