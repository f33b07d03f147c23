from __future__ import annotations

from django.db.models.functions import Lower

from portal.clients.models import User
from portal.ids import require_id, require_row
from portal.orders.catalogue import Coupon, Product
from portal.orders.models import Order

PRODUCTS_PER_PAGE = 100


def list_products(*, brand_id: int, page: int) -> list[Product]:
    """One page of what the brand sells at present; pages count from 1."""
    start = (page - 1) * PRODUCTS_PER_PAGE
    products = Product.objects.filter(brand_id=brand_id, is_active=True)
    return list(products[start : start + PRODUCTS_PER_PAGE])


def find_coupon(*, brand_id: int, code: str) -> Coupon | None:
    """The brand's coupon with this code, in whichever case it is typed."""
    coupons = Coupon.objects.alias(lower_code=Lower("code"))
    return coupons.filter(brand_id=brand_id, lower_code=code.strip().lower()).first()


def get_order(*, client: User, order_id: str) -> Order:
    """The client's order with its items. Raises NotFound."""
    return require_row(
        Order.objects.filter(
            pk=require_id(order_id), client=client, brand_id=client.client_brand_id
        )
        .select_related("coupon")
        .prefetch_related("items__product")
    )
