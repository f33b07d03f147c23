"""Two people of staff who have one form of the portal open."""

from __future__ import annotations

import pytest
from django.test import Client

from portal.orders.catalogue import Product
from tests.change_forms import filled_in
from tests.factories.portal import (
    ClientFactory,
    CouponFactory,
    ProductFactory,
    StaffFactory,
)
from tests.portal.admin.pages import page_of

pytestmark = pytest.mark.portable


@pytest.fixture
def colleague() -> Client:
    browser = Client()
    browser.force_login(StaffFactory(email="colleague@example.com"))
    return browser


@pytest.mark.parametrize(
    ("factory", "field", "value"),
    [
        (ProductFactory, "tax_rate", "7.00"),
        (ProductFactory, "price_0", "12.00"),
        (CouponFactory, "percent_off", "15"),
        (ClientFactory, "firstname", "zq-client-firstname-7"),
    ],
)
def test_change_of_another_person_stays(
    factory, field, value, browser, colleague, brand
):
    row = factory(brand=brand)
    stale = filled_in(browser, page_of(row))
    colleague.post(page_of(row), filled_in(colleague, page_of(row)) | {field: value})
    changed = type(row).objects.filter(pk=row.pk).values().get()

    saved = browser.post(page_of(row), stale)

    assert saved.status_code == 302
    assert type(row).objects.filter(pk=row.pk).values().get() == changed


def test_field_that_both_changed_is_refused_with_the_other_name(
    browser, colleague, brand
):
    product = ProductFactory(brand=brand, name="Basic")
    stale = filled_in(browser, page_of(product))
    theirs = filled_in(colleague, page_of(product)) | {"name": "Small"}
    colleague.post(page_of(product), theirs)

    refused = browser.post(page_of(product), stale | {"name": "Entry"})

    (error,) = refused.context["adminform"].form.errors["name"]
    assert error.startswith("colleague@example.com changed this at ")
    assert Product.objects.get().name == "Small"
