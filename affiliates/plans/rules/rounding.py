"""Amounts times a scale that makes all their rates whole: rounded once, at the end."""

from __future__ import annotations

from decimal import Decimal

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


def exact_text(exact: int) -> str:
    """Minor units with all their decimals."""
    whole, rest = divmod(exact, SCALE)
    return f"{whole}.{rest:05d}".rstrip("0").rstrip(".")
