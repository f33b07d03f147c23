"""The operators' guide explains every word that the admin pages use."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import pytest

from affiliates.core.redirects import RedirectReason
from affiliates.referrals.rules.choices import (
    CookieState,
    ExternalVerdict,
    Outcome,
    Reason,
    Verdict,
)
from affiliates.sales.rules import SaleReason, SaleStatus

GUIDE = Path(__file__).parents[3] / "docs" / "operators.md"


@pytest.mark.parametrize(
    "words",
    [
        RedirectReason,
        Outcome,
        Reason,
        Verdict,
        ExternalVerdict,
        CookieState,
        SaleStatus,
        SaleReason,
    ],
)
def test_guide_explains_every_word(words: type[StrEnum]):
    rows = GUIDE.read_text(encoding="utf-8").splitlines()
    cells = {cell.strip() for row in rows for cell in row.split("|")}

    assert {word.label for word in words} <= cells
