from __future__ import annotations

from django.db.models import QuerySet
from django.db.models.functions import Lower

from portal.clients.models import User
from portal.ids import require_id, require_row
from portal.orders.catalogue import Coupon, Product
from portal.orders.models import Order

PRODUCTS_PER_PAGE = 100
ORDERS_PER_PAGE = 50


def list_products(*, brand_id: int, page: int) -> list[Product]:
    """One page of what the brand sells at present; pages count from 1."""
    start = (page - 1) * PRODUCTS_PER_PAGE
    products = Product.objects.filter(brand_id=brand_id, is_active=True)
    return list(products[start : start + PRODUCTS_PER_PAGE])


def find_coupon(*, brand_id: int, code: str) -> Coupon | None:
    """The brand's coupon with this code, in whichever case it is typed."""
    coupons = Coupon.objects.alias(lower_code=Lower("code"))
    return coupons.filter(brand_id=brand_id, lower_code=code.strip().lower()).first()


def has_paid(client: User) -> bool:
    orders = Order.objects.filter(client=client, invoices__paid_at__isnull=False)
    return orders.exists()


def list_orders(*, client: User, page: int, status: str | None = None) -> list[Order]:
    """One page of the client's orders and baskets with their items, the newest first."""
    start = (page - 1) * ORDERS_PER_PAGE
    orders = _orders_of(client)
    if status is not None:
        orders = orders.filter(status=status)
    return list(orders[start : start + ORDERS_PER_PAGE])


def get_order(*, client: User, order_id: str) -> Order:
    """The client's order with its items. Raises NotFound."""
    return require_row(_orders_of(client).filter(pk=require_id(order_id)))


def _orders_of(client: User) -> QuerySet[Order]:
    orders = Order.objects.filter(client=client, brand_id=client.client_brand_id)
    return orders.select_related("coupon").prefetch_related("items__product")
