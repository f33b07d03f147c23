"""Amounts times a scale that makes all their rates whole: rounded once, at the end.

The lines of a rule are rounded together: each is rounded down, and the units that the
rounded sum has more go to the largest fractions, of equal ones to the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

# Rates have three decimals and are percentages: amounts times this are whole.
SCALE = 100_000


class Rounding(TextChoices):
    HALF_UP = "half_up", _("To the nearest minor unit, half up")
    HALF_EVEN = "half_even", _("To the nearest minor unit, half to even")
    DOWN = "down", _("Down")


def scaled(percent: Decimal) -> int:
    """The factor that gives the percentage of an amount, times ``SCALE``."""
    return int(percent * (SCALE // 100))


def rounded(exact: int, rounding: Rounding) -> int:
    """``exact`` is zero or above, times ``SCALE``."""
    whole, rest = divmod(exact, SCALE)
    if rounding is Rounding.DOWN or 2 * rest < SCALE:
        return whole
    is_half = 2 * rest == SCALE
    if is_half and rounding is Rounding.HALF_EVEN:
        return whole + whole % 2
    return whole + 1


def spread(exacts: Sequence[int]) -> list[dict[str, Any]]:
    """For each line: the exact sum, the sum of the lines rounded down, and its rank."""
    by_fraction = sorted(
        range(len(exacts)), key=lambda place: exacts[place] % SCALE, reverse=True
    )
    ranks = {place: rank for rank, place in enumerate(by_fraction)}
    whole = {
        "exact": exact_text(sum(exacts)),
        "down": sum(exact // SCALE for exact in exacts),
    }
    return [{**whole, "rank": ranks[place]} for place in range(len(exacts))]


def rounded_of(exact: int, among: Mapping[str, Any], rounding: Rounding) -> int:
    """The line's amount, by what ``spread`` says of it."""
    together = rounded(int(Decimal(among["exact"]) * SCALE), rounding)
    is_raised: bool = among["rank"] < together - among["down"]
    return exact // SCALE + is_raised


def exact_text(exact: int) -> str:
    """Minor units with all their decimals."""
    whole, rest = divmod(exact, SCALE)
    return f"{whole}.{rest:05d}".rstrip("0").rstrip(".")
