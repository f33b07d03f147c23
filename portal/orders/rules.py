"""Limits on the contents of a basket, and what a coupon needs."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from django.db.models import TextChoices

from affiliates.errors import InvalidInput

# 100 lines of 1,000 pieces at this price and 100 % tax still fit a money column.
MAX_PRICE = Decimal(4999999)
MAX_TAX_RATE = Decimal(100)
MAX_QUANTITY = 1000
MAX_ITEMS = 100


class CouponRefusal(TextChoices):
    """Why a coupon takes nothing off; the label is the API's sentence."""

    ENDED = "coupon_ended", "This coupon has ended."
    EXPIRED = "coupon_expired", "This coupon has expired."
    NEW_CLIENTS = "coupon_for_new_clients", "This coupon is for new clients."


def refuse_coupon(
    *,
    is_active: bool,
    valid_until: datetime | None,
    for_new_clients: bool,
    client_paid_before: bool,
    now: datetime,
) -> CouponRefusal | None:
    if not is_active:
        return CouponRefusal.ENDED
    if valid_until is not None and valid_until <= now:
        return CouponRefusal.EXPIRED
    if for_new_clients and client_paid_before:
        return CouponRefusal.NEW_CLIENTS
    return None


def check_addition(
    *,
    basket_currency: str,
    product_currency: str,
    held_quantity: int,
    added_quantity: int,
    items: int,
) -> None:
    """Raises InvalidInput when this may not be added.

    ``held_quantity`` is how many of the product the basket holds, ``items`` how many
    different products.
    """
    if basket_currency not in {"", product_currency}:
        raise InvalidInput(
            "currency_mismatch",
            f"This basket is in {basket_currency}.",
            field="product_id",
        )
    if held_quantity + added_quantity > MAX_QUANTITY:
        raise InvalidInput(
            "quantity_too_large",
            f"A basket holds at most {MAX_QUANTITY} of a product.",
            field="quantity",
        )
    if held_quantity == 0 and items >= MAX_ITEMS:
        raise InvalidInput(
            "basket_full",
            f"A basket holds at most {MAX_ITEMS} different products.",
            field="product_id",
        )
