from __future__ import annotations

from decimal import Decimal

import pytest
from moneyed import Money

from portal.orders.catalogue import Product
from portal.orders.models import Order
from tests.factories.portal import OrderFactory, OrderItemFactory
from tests.portal.admin.pages import page_of

pytestmark = pytest.mark.portable


def test_a_product_is_added_and_changed(browser, brand, other_brand):
    form = {
        "brand": brand.pk,
        "sku": "plan",
        "name": "Plan",
        "description": "",
        "kind": "hosting",
        "billing_cycle": "monthly",
        "price_0": "9.00",
        "price_1": "EUR",
        "tax_rate": "19",
        "is_active": "on",
        "position": "0",
    }
    browser.post("/admin/portal/product/add/", form)
    product = Product.objects.get()

    browser.post(page_of(product), {**form, "name": "Plan 2", "brand": other_brand.pk})

    product.refresh_from_db()
    assert (product.name, product.brand) == ("Plan 2", brand)
    assert product.price == Money("9.00", "EUR")
    assert product.tax_rate == Decimal(19)


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("negative", {"price_0": "-1"}),
        ("less than a cent", {"price_0": "1.001"}),
        ("words", {"price_0": "nine"}),
        ("no currency", {"price_1": ""}),
        ("nothing", {"price_0": ""}),
        ("enormous", {"price_0": "9" * 30}),
    ],
)
def test_a_product_with_an_impossible_price_is_refused(_case, change, browser, brand):
    form = {
        "brand": brand.pk,
        "sku": "plan",
        "name": "Plan",
        "kind": "hosting",
        "billing_cycle": "monthly",
        "price_0": "9.00",
        "price_1": "EUR",
        "tax_rate": "19",
        "position": "0",
        **change,
    }

    assert browser.post("/admin/portal/product/add/", form).status_code == 200
    assert not Product.objects.exists()


def test_a_sold_product_is_not_deleted(browser, client):
    item = OrderItemFactory(order=OrderFactory(client=client))

    browser.post(page_of(item.product, "delete"), {"post": "yes"})

    assert Product.objects.filter(pk=item.product_id).exists()
    assert Order.objects.count() == 1
