"""The brand that the pages of the desk open on."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.contrib.desk.brand_choice.models import LastBrand
from tests.factories.affiliates import BrandFactory

OVERVIEW = "admin:affiliates_brand_overview"
OWED = "admin:affiliates_brand_owed"
PER_BRAND = [
    f"admin:affiliates_brand_{name}" for name in ("ranking", "cohorts", "unearned")
]


@pytest.fixture
def other(brand):
    return BrandFactory(name="Zebra", client_area="zebra.example.com")


def opened(client, page=OVERVIEW, **asked):
    chosen = client.get(reverse(page), asked).context["chosen"]
    return "all" if chosen.is_all else chosen.brand


@pytest.mark.parametrize("page", [OVERVIEW, OWED, *PER_BRAND])
def test_opens_on_the_brand_last_looked_at_after_a_new_login(
    page, brand, other, admin_user, admin_client
):
    assert opened(admin_client, page) == brand
    assert not LastBrand.objects.exists()

    opened(admin_client, page, brand=other.pk)
    admin_client.logout()
    admin_client.force_login(admin_user)

    assert opened(admin_client) == other
    assert LastBrand.objects.get().person == admin_user


def test_each_person_has_their_own(
    brand, other, admin_client, client, django_user_model
):
    someone = django_user_model.objects.create_superuser("second@example.com")
    client.force_login(someone)
    opened(client, brand=other.pk)

    assert opened(admin_client) == brand


def test_prefers_an_active_brand_that_is_no_test(brand, other, admin_client):
    BrandFactory(name="AA", client_area="aa.example.com", is_test=True)
    brand.change(is_active=False)

    assert opened(admin_client) == other


def test_all_brands_are_remembered_where_they_are_offered(brand, other, admin_client):
    assert opened(admin_client, brand="all") == "all"

    assert opened(admin_client, OWED) == "all"
    assert [opened(admin_client, page) for page in PER_BRAND] == [brand] * 3
    assert opened(admin_client, PER_BRAND[0], brand="all") == brand
    assert LastBrand.objects.get().brand is None


def test_one_brand_beside_test_brands_is_not_offered_as_all(brand, admin_client):
    BrandFactory(name="Test", client_area="test.example.com", is_test=True)

    assert opened(admin_client, brand="all") == brand
    assert not LastBrand.objects.exists()


def test_a_remembered_brand_that_is_hidden_is_not_opened(
    brand, other, admin_client, monkeypatch
):
    opened(admin_client, brand=other.pk)
    monkeypatch.setattr(
        "affiliates.contrib.desk.brand_choice.choosing.visible_to",
        lambda staff, rows: rows.exclude(pk=other.pk),
    )

    assert opened(admin_client) == brand
    assert opened(admin_client, brand=other.pk) == brand
    assert opened(admin_client, brand="all") == brand
