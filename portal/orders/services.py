"""Filling a basket. Its conversion makes an invoice: see portal.billing."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db import transaction

from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.host_events import is_affiliate_code
from portal import gateways
from portal.clients.models import MAX_REASON_LENGTH, User
from portal.ids import require_id, require_row
from portal.orders import selectors
from portal.orders.catalogue import Coupon, Product
from portal.orders.models import Order, OrderItem, OrderStatus, PaymentDetails
from portal.orders.rules import check_addition, refuse_coupon

CODE_FIELDS = ("coupon", "percent_off", "affiliate_code", "coupon_refusal")


def create_order(*, client: User, now: datetime) -> Order:
    return Order.objects.create(
        client=client, brand_id=client.client_brand_id, created_at=now
    )


@transaction.atomic
def add_item(*, client: User, order_id: str, product_id: int, quantity: int) -> None:
    """Put a product into the client's basket; more of the same joins its line."""
    order = _lock_basket(client=client, order_id=order_id)
    held = {item.product_id: item for item in order.items.all()}
    item = held.get(product_id)
    if item is None:
        item = OrderItem(order=order, product_id=product_id, quantity=0)
    _add(item, quantity, items=len(held))


@transaction.atomic
def change_quantity(
    *, client: User, order_id: str, product_id: int, quantity: int
) -> None:
    """Have so many of a product in the client's basket, at today's price."""
    order = _lock_basket(client=client, order_id=order_id)
    item = order.items.filter(product=product_id).first()
    if item is None:
        raise NotFound
    item.order, item.quantity = order, 0
    _add(item, quantity, items=1)


@transaction.atomic
def remove_item(*, client: User, order_id: str, product_id: int) -> None:
    """Removes a product from the client's basket, in any quantity."""
    order = _lock_basket(client=client, order_id=order_id)
    removed, _ = order.items.filter(product=product_id).delete()
    if not removed:
        raise NotFound
    if not order.items.exists():
        order.currency = ""
        order.save(update_fields=["currency"])


@transaction.atomic
def enter_coupon(*, client: User, order_id: str, code: str, now: datetime) -> None:
    """Use the coupon for the client's basket, in place of an earlier one.

    The basket keeps the percentage of this moment, as it keeps its prices. An affiliate's
    code without a usable coupon is kept too: it takes nothing off.
    """
    order = _lock_basket(client=client, order_id=order_id)
    coupon = selectors.find_coupon(brand_id=order.brand_id, code=code)
    refusal = coupon and refuse_coupon(
        is_active=coupon.is_active,
        valid_until=coupon.valid_until,
        for_new_clients=coupon.for_new_clients,
        client_paid_before=selectors.has_paid(client),
        now=now,
    )
    if coupon is not None and not refusal:
        _put_code(order, coupon=coupon, percent_off=coupon.percent_off)
    elif is_affiliate_code(code, brand_id=order.brand_id):
        _put_code(order, affiliate_code=code.strip(), coupon_refusal=refusal or "")
    elif refusal:
        raise InvalidInput(refusal, refusal.label, field="code")
    else:
        raise InvalidInput("does_not_exist", "No such coupon.", field="code")


@transaction.atomic
def remove_coupon(*, client: User, order_id: str) -> None:
    """Takes coupon and code off the client's basket; without any nothing happens."""
    _put_code(_lock_basket(client=client, order_id=order_id))


@transaction.atomic
def end_service(*, order_id: UUID, reason: str, now: datetime) -> Order:
    """Ends the service that the order bought: from now on nothing is renewed."""
    orders = Order.objects.select_for_update(no_key=True)
    order = require_row(orders.filter(pk=order_id))
    if not reason.strip() or len(reason) > MAX_REASON_LENGTH:
        raise InvalidInput("invalid", "Say why.", field="reason")
    if order.status != OrderStatus.CONVERTED:
        raise StateConflict("not_converted", "This is a basket still.")
    if order.ended_at is not None:
        raise StateConflict("already_ended", "This service has ended already.")
    order.ended_at, order.ended_reason = now, reason.strip()
    order.save(update_fields=["ended_at", "ended_reason"])
    return order


def add_payment_details(
    *, client: User, gateway: str | None, label: str, now: datetime
) -> PaymentDetails:
    chosen = gateway or gateways.default_gateway()
    if not gateways.is_known(chosen):
        raise InvalidInput("does_not_exist", "No such gateway.", field="gateway")
    return PaymentDetails.objects.create(
        client=client, gateway=chosen, label=label, created_at=now
    )


def _put_code(
    order: Order,
    *,
    coupon: Coupon | None = None,
    percent_off: Decimal = Decimal(0),
    affiliate_code: str = "",
    coupon_refusal: str = "",
) -> None:
    order.coupon, order.percent_off = coupon, percent_off
    order.affiliate_code, order.coupon_refusal = affiliate_code, coupon_refusal
    order.save(update_fields=CODE_FIELDS)


def _add(item: OrderItem, quantity: int, *, items: int) -> None:
    """``items`` is how many different products its basket holds."""
    order = item.order
    product = Product.objects.filter(
        pk=item.product_id, brand_id=order.brand_id, is_active=True
    ).first()
    if product is None:
        raise InvalidInput("does_not_exist", "No such product.", field="product_id")
    currency = product.price.currency.code
    check_addition(
        basket_currency=order.currency,
        product_currency=currency,
        held_quantity=item.quantity,
        added_quantity=quantity,
        items=items,
    )
    item.quantity += quantity
    item.unit_price = product.price
    item.tax_rate = product.tax_rate
    item.save()
    order.currency = currency
    order.save(update_fields=["currency"])


def _lock_basket(*, client: User, order_id: str) -> Order:
    orders = Order.objects.select_for_update(no_key=True).filter(client=client)
    order = require_row(
        orders.filter(pk=require_id(order_id), brand_id=client.client_brand_id)
    )
    if order.status != OrderStatus.BASKET:
        raise StateConflict("order_converted", "This order is converted already.")
    return order
