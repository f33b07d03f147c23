from __future__ import annotations

from datetime import date

import pytest

from affiliates.core.days import month_of


@pytest.mark.parametrize(
    ("back", "first", "last"),
    [
        (0, date(2026, 3, 1), date(2026, 3, 31)),
        (1, date(2026, 2, 1), date(2026, 2, 28)),
        (3, date(2025, 12, 1), date(2025, 12, 31)),
        (25, date(2024, 2, 1), date(2024, 2, 29)),
    ],
)
def test_month_of(back, first, last):
    assert month_of(date(2026, 3, 31), back=back) == (first, last)
