from __future__ import annotations

from decimal import Decimal

import pytest
from moneyed import get_currency

from affiliates.core.money import minor_unit


@pytest.mark.parametrize(
    ("code", "unit"), [("EUR", "0.01"), ("JPY", "1"), ("KWD", "0.001")]
)
def test_minor_unit(code, unit):
    assert minor_unit(get_currency(code)) == Decimal(unit)
