from __future__ import annotations

import pytest

from affiliates.errors import InvalidInput
from portal.orders.rules import check_addition

ONE = {
    "basket_currency": "EUR",
    "product_currency": "EUR",
    "held_quantity": 0,
    "added_quantity": 1,
    "items": 0,
}


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("first product", {"basket_currency": ""}),
        ("same currency", {}),
        ("up to the limit", {"held_quantity": 999}),
        ("the limit at once", {"added_quantity": 1000}),
        ("hundredth product", {"items": 99}),
        ("more of one in a full basket", {"items": 100, "held_quantity": 1}),
    ],
)
def test_may_be_added(_case, change):
    check_addition(**{**ONE, **change})


@pytest.mark.parametrize(
    ("_case", "change", "code", "field"),
    [
        (
            "another currency",
            {"product_currency": "USD"},
            "currency_mismatch",
            "product_id",
        ),
        ("too many", {"held_quantity": 1000}, "quantity_too_large", "quantity"),
        (
            "too many together",
            {"held_quantity": 1, "added_quantity": 1000},
            "quantity_too_large",
            "quantity",
        ),
        ("product 101", {"items": 100}, "basket_full", "product_id"),
    ],
)
def test_may_not_be_added(_case, change, code, field):
    with pytest.raises(InvalidInput) as refusal:
        check_addition(**{**ONE, **change})

    assert (refusal.value.code, refusal.value.field) == (code, field)
