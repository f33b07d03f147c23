"""Limits on the contents of a basket."""

from __future__ import annotations

from decimal import Decimal

from affiliates.errors import InvalidInput

# 100 lines of 1,000 pieces at this price and 100 % tax still fit a money column.
MAX_PRICE = Decimal(4999999)
MAX_TAX_RATE = Decimal(100)
MAX_QUANTITY = 1000
MAX_ITEMS = 100


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
