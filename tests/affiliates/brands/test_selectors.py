"""The snapshot of brands: whose Origin it is, and how soon a change is seen."""

from __future__ import annotations

import pytest

from affiliates.brands import config_cache, selectors
from affiliates.errors import InvalidInput, NotAllowed, NotFound
from affiliates.program.selectors import find_link
from tests.factories.affiliates import (
    AffiliateLinkFactory,
    BrandDomainFactory,
    BrandFactory,
)


def test_brand_is_found_by_the_origin_of_its_client_area(brand):
    assert selectors.brand_for_origin("https://shop.example.com").id == brand.pk


@pytest.mark.parametrize("header", [None, "", "null", "area.example.com"])
def test_origin_is_required(header, brand):
    with pytest.raises(InvalidInput) as refusal:
        selectors.brand_for_origin(header)

    assert refusal.value.code == "origin_required"


def test_redirect_target_alone_is_no_client_area(brand):
    BrandDomainFactory(brand=brand, host="docs.example.com", is_client_area=False)

    with pytest.raises(NotAllowed) as refusal:
        selectors.brand_for_origin("https://docs.example.com")

    assert refusal.value.code == "origin_not_registered"


def test_inactive_brand_has_no_origin_and_is_not_found(brand):
    brand.is_active = False
    brand.save()

    with pytest.raises(NotAllowed):
        selectors.brand_for_origin("https://shop.example.com")
    with pytest.raises(NotFound):
        selectors.get_brand(brand.pk)


def test_without_origin_the_only_active_brand_is_meant(brand):
    BrandFactory(client_area="old.example.com", is_active=False)

    assert selectors.brand_for_origin_or_only(None).id == brand.pk


def test_without_origin_a_test_brand_is_no_second_brand(brand):
    BrandFactory(client_area="test.example.com", is_test=True)

    assert selectors.brand_for_origin_or_only(None).id == brand.pk


def test_without_origin_a_test_brand_alone_is_meant(db):
    brand = BrandFactory(is_test=True)

    assert selectors.brand_for_origin_or_only(None).id == brand.pk


@pytest.mark.parametrize("is_test", [False, True])
def test_without_origin_two_brands_cannot_be_told_apart(is_test, db):
    BrandFactory(is_test=is_test)
    BrandFactory(client_area="other.example.com", is_test=is_test)

    with pytest.raises(InvalidInput) as refusal:
        selectors.brand_for_origin_or_only(None)

    assert refusal.value.code == "origin_required"
    assert refusal.value.detail == (
        "There are several active brands, or none. Send the Origin header of a client "
        "area, such as https://shop.example.com; code of the portal names the brand by "
        "its id."
    )


def test_the_only_brand_can_be_kept_back(brand):
    with selectors.no_only_brand(), pytest.raises(InvalidInput):
        selectors.brand_for_origin_or_only(None)

    assert selectors.brand_for_origin_or_only(None).id == brand.pk


def test_change_is_seen_when_the_refresh_interval_has_passed(
    brand, settings, monkeypatch
):
    clock = [1000.0]
    monkeypatch.setattr(config_cache.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(config_cache._log, "_read_at", 0.0)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 2
    assert selectors.get_brand(brand.pk).terms.own_program is True

    brand.own_program = False
    brand.save()
    clock[0] += 1.5
    assert selectors.get_brand(brand.pk).terms.own_program is True
    clock[0] += 0.5
    assert selectors.get_brand(brand.pk).terms.own_program is False


def test_unchanged_configuration_costs_no_query(
    brand, link, settings, django_assert_num_queries
):
    selectors.get_brand(brand.pk)
    find_link(brand_id=brand.pk, token=link.hash)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    with django_assert_num_queries(0):
        selectors.brand_for_origin("https://shop.example.com")
        find_link(brand_id=brand.pk, token=link.hash)


def test_new_link_is_found_although_its_hash_was_unknown_before(brand, affiliate):
    link_hash = "ab" * 20
    assert find_link(brand_id=brand.pk, token=link_hash) is None

    AffiliateLinkFactory(affiliate=affiliate, hash=link_hash)

    found = find_link(brand_id=brand.pk, token=link_hash)
    assert found is not None
    assert found.affiliate_id == affiliate.pk


@pytest.mark.parametrize("token", ["", "ä", "!", "x" * 8000, "a" * 41])
def test_what_can_be_no_link_is_neither_looked_up_nor_kept(
    token, brand, settings, django_assert_num_queries
):
    selectors.get_brand(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    with django_assert_num_queries(0):
        assert find_link(brand_id=brand.pk, token=token) is None


def test_link_of_another_brand_is_unknown(link):
    other = BrandFactory(client_area="other.example.com")

    assert find_link(brand_id=other.pk, token=link.hash) is None
    assert find_link(brand_id=other.pk, token="partner") is None


@pytest.mark.parametrize("token", ["partner", "PARTNER", " Partner "])
def test_code_is_found_however_it_is_typed(token, brand, affiliate):
    found = find_link(brand_id=brand.pk, token=token)

    assert found is not None
    assert (found.affiliate_id, found.link_id) == (affiliate.pk, None)
