"""Filling a basket. Its conversion makes an invoice: see portal.billing."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal import gateways
from portal.clients.models import User
from portal.ids import require_id
from portal.orders.models import (
    Order,
    OrderItem,
    OrderStatus,
    PaymentDetails,
    Product,
)
from portal.orders.rules import check_addition


def create_order(*, client: User, now: datetime) -> Order:
    return Order.objects.create(
        client=client, brand_id=client.client_brand_id, created_at=now
    )


@transaction.atomic
def add_item(*, client: User, order_id: str, product_id: int, quantity: int) -> None:
    """Put a product into the client's basket; more of the same joins its line."""
    order = _lock_basket(client=client, order_id=order_id)
    product = Product.objects.filter(
        pk=product_id, brand_id=order.brand_id, is_active=True
    ).first()
    if product is None:
        raise InvalidInput("does_not_exist", "No such product.", field="product_id")
    held = {item.product_id: item for item in order.items.all()}
    item = held.get(product.pk) or OrderItem(order=order, product=product, quantity=0)
    currency = product.price.currency.code
    check_addition(
        basket_currency=order.currency,
        product_currency=currency,
        held_quantity=item.quantity,
        added_quantity=quantity,
        items=len(held),
    )
    item.quantity += quantity
    item.unit_price = product.price
    item.tax_rate = product.tax_rate
    item.save()
    order.currency = currency
    order.save(update_fields=["currency"])


def add_payment_details(
    *, client: User, gateway: str | None, label: str, now: datetime
) -> PaymentDetails:
    chosen = gateway or gateways.default_gateway()
    if not gateways.is_known(chosen):
        raise InvalidInput("does_not_exist", "No such gateway.", field="gateway")
    return PaymentDetails.objects.create(
        client=client, gateway=chosen, label=label, created_at=now
    )


def _lock_basket(*, client: User, order_id: str) -> Order:
    orders = Order.objects.select_for_update().filter(client=client)
    order = orders.filter(
        pk=require_id(order_id), brand_id=client.client_brand_id
    ).first()
    if order is None:
        raise NotFound
    if order.status != OrderStatus.BASKET:
        raise StateConflict("order_converted", "This order is converted already.")
    return order
