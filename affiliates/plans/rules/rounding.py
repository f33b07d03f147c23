"""Amounts times a scale that makes every rate of them whole: rounded once, at the end."""

from __future__ import annotations

from decimal import Decimal

from affiliates.core.enums import LabelledEnum

# A rate has three decimals and is of a hundred: amounts times this are whole.
SCALE = 100_000


class Rounding(LabelledEnum):
    HALF_UP = "half_up", "To the nearest minor unit, half up"
    HALF_EVEN = "half_even", "To the nearest minor unit, half to even"
    DOWN = "down", "Down"


def scaled(percent: Decimal) -> int:
    """An amount times this is what the percent is of it, times ``SCALE``."""
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


def exact_text(exact: int) -> str:
    """Minor units with every decimal, however many."""
    whole, rest = divmod(exact, SCALE)
    return f"{whole}.{rest:05d}".rstrip("0").rstrip(".")
