"""Sums of decimals: SQLite adds them as binary fractions, whole numbers exactly."""

from __future__ import annotations

from decimal import Decimal

from django.db.models import BigIntegerField, ExpressionWrapper, F
from django.db.models.functions import Cast, Round

PLACES = 3


def thousandths(column: str) -> Cast:
    """The column's amount as a whole number of thousandths."""
    scaled = ExpressionWrapper(F(column) * 10**PLACES, output_field=BigIntegerField())
    return Cast(Round(scaled), BigIntegerField())


def from_thousandths(sum_of_them: int) -> Decimal:
    return Decimal(sum_of_them).scaleb(-PLACES)
