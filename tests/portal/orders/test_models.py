from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from moneyed import Money

from portal.orders.catalogue import Product
from portal.orders.models import Order, OrderItem
from tests.factories.portal import OrderFactory, OrderItemFactory, ProductFactory


@pytest.mark.parametrize(
    ("_case", "change", "field"),
    [
        ("negative price", {"price": Money("-1", "EUR")}, "price"),
        ("enormous price", {"price": Money("5000000", "EUR")}, "price"),
        ("half a yen", {"price": Money("1.5", "JPY")}, "price"),
        ("less than a cent", {"price": Money("1.001", "EUR")}, "price"),
        ("negative tax", {"tax_rate": Decimal(-1)}, "tax_rate"),
        ("more tax than price", {"tax_rate": Decimal("100.01")}, "tax_rate"),
        ("no SKU", {"sku": ""}, "sku"),
        ("SKU with a space", {"sku": "a b"}, "sku"),
        ("unknown kind", {"kind": "boat"}, "kind"),
    ],
)
def test_impossible_product_is_refused(_case, change, field, brand):
    product = ProductFactory.build(brand=brand, **change)

    with pytest.raises(ValidationError) as refusal:
        product.full_clean()

    assert set(refusal.value.message_dict) == {field}


def test_two_products_of_a_brand_do_not_share_a_sku(brand, other_brand):
    ProductFactory(brand=brand, sku="plan")
    ProductFactory(brand=other_brand, sku="plan")

    with pytest.raises(ValidationError):
        ProductFactory.build(brand=brand, sku="plan").full_clean()


@pytest.mark.parametrize(
    ("_case", "factory", "row"),
    [
        ("product with a negative price", ProductFactory, {"price": Money(-1, "EUR")}),
        ("product with 101 % tax", ProductFactory, {"tax_rate": Decimal(101)}),
        (
            "basket with a conversion time",
            OrderFactory,
            {"converted_at": "2026-03-01T12:00Z"},
        ),
        ("converted order without one", OrderFactory, {"status": "converted"}),
    ],
)
def test_database_refuses_a(_case, factory, row, db):
    with pytest.raises(IntegrityError), transaction.atomic():
        factory(**row)

    assert not Product.objects.exists()
    assert not Order.objects.exists()


@pytest.mark.parametrize("quantity", [0, 1001])
def test_database_refuses_a_quantity_of(quantity, client):
    order = OrderFactory(client=client)

    with pytest.raises(IntegrityError), transaction.atomic():
        OrderItemFactory(order=order, quantity=quantity)

    assert not OrderItem.objects.exists()


def test_a_product_stands_once_in_a_basket(client):
    item = OrderItemFactory(order=OrderFactory(client=client))

    with pytest.raises(IntegrityError), transaction.atomic():
        OrderItemFactory(order=item.order, product=item.product)

    assert OrderItem.objects.count() == 1
