"""Versions of a brand's attribution policy: one for each change, none for anything else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.urls import reverse

from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import AttributionTerms, BindingPolicy
from affiliates.brands.selectors import get_brand
from affiliates.brands.services import publish_policy
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db


def numbers(brand: Brand) -> list[int]:
    return list(
        brand.policy_versions.order_by("number").values_list("number", flat=True)
    )


def test_new_brand_has_its_first_version(brand):
    version = brand.policy_versions.get()

    assert version.number == 1
    assert version.terms == {
        "policy": "last_click",
        "claim_policy": "latest",
        "window_days": 90,
        "own_program": True,
        "existing_clients_earn": False,
        "bound_clients": "keep",
        "stand_down_minutes": 30,
        "coupon_over_link": True,
    }
    assert AttributionTerms.from_json(version.terms) == brand.terms()
    assert version.digest == brand.terms().digest


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("attribution_policy", "first_click"),
        ("attribution_window_days", 30),
        ("claim_policy", "both"),
        ("own_program", False),
        ("existing_clients_earn", True),
        ("bound_clients", "latest"),
        ("stand_down_minutes", 0),
        ("coupon_over_link", False),
    ],
)
def test_change_of_a_term_makes_a_version(brand, field, value):
    setattr(brand, field, value)
    brand.save()

    assert numbers(brand) == [1, 2]
    latest = brand.policy_versions.first()
    config = get_brand(brand.pk)
    assert (config.policy_version_id, config.policy_version) == (latest.pk, 2)
    assert config.terms == brand.terms()


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "Another"), ("cookie_lifetime_days", 30), ("landing", "stay")],
)
def test_change_of_anything_else_makes_none(brand, field, value):
    setattr(brand, field, value)
    brand.save()

    assert numbers(brand) == [1]


def test_terms_that_come_back_are_another_version(brand):
    for minutes in (10, 30):
        brand.stand_down_minutes = minutes
        brand.save()

    assert numbers(brand) == [1, 2, 3]


def test_version_is_of_what_is_stored_not_of_what_was_meant(brand):
    brand.stand_down_minutes = 10
    brand.name = "Renamed"
    brand.save(update_fields=["name"])

    assert numbers(brand) == [1]


def test_change_that_is_rolled_back_leaves_no_version(brand):
    with transaction.atomic():
        brand.stand_down_minutes = 10
        brand.save()
        transaction.set_rollback(True)

    assert numbers(brand) == [1]


def test_clock_that_went_back_does_not_hide_the_newer_version(brand, now):
    first = brand.policy_versions.get()
    Brand.objects.filter(pk=brand.pk).update(stand_down_minutes=10)

    version = publish_policy(brand.pk, now=first.effective_from - timedelta(days=1))

    assert version.number == 2
    assert version.effective_from == first.effective_from


def test_brand_changed_past_its_versions_names_none_rather_than_a_wrong_one(brand):
    Brand.objects.filter(pk=brand.pk).update(bound_clients="latest")
    BrandFactory(client_area="other.example.com")

    config = get_brand(brand.pk)

    assert config.terms.bound_clients is BindingPolicy.LATEST
    assert (config.policy_version_id, config.policy_version) == (None, None)


def test_page_of_the_brand_lists_its_versions(admin_client, brand):
    brand.stand_down_minutes = 0
    brand.save()

    page = admin_client.get(reverse("admin:affiliates_brand_change", args=[brand.pk]))

    text = page.content.decode()
    assert "Checkout stand-down: 30 minutes" in text
    assert "Checkout stand-down: off" in text
    assert text.index("stand-down: off") < text.index("stand-down: 30 minutes")


def test_versions_cannot_be_changed_on_the_page(admin_client, brand):
    version = brand.policy_versions.get()
    page = admin_client.get(reverse("admin:affiliates_brand_change", args=[brand.pk]))

    [formset] = [
        one.formset
        for one in page.context["inline_admin_formsets"]
        if one.formset.prefix == "policy_versions"
    ]
    assert not formset.can_delete
    assert 'name="policy_versions-0-number"' not in page.content.decode()
    assert version.terms == brand.terms().to_json()


def test_brand_saved_while_it_is_read_is_known_with_its_version(brand):
    saved = []

    def save_afterwards(execute, sql, params, many, context):
        answer = execute(sql, params, many, context)
        if not saved and "attributionpolicyversion" in sql:
            saved.append(sql)
            brand.attribution_window_days = 30
            brand.save()
        return answer

    with connection.execute_wrapper(save_afterwards):
        known = get_brand(brand.pk)

    assert saved
    assert (known.policy_version, known.terms.window) == (1, timedelta(days=90))
    known = get_brand(brand.pk)
    assert (known.policy_version, known.terms.window) == (2, timedelta(days=30))
