"""Credits of an invoice taken off its other lines, worked out apart from the product."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor


def bases_after_credits(lines: Sequence[tuple[str, str, int]]) -> list[int]:
    """What is left of the bases of lines of product, kind and base."""
    left = [base for _, _, base in lines]
    for place, credit in enumerate(lines):
        if credit[2] >= 0:
            continue
        for distance in range(3):
            near = [
                one
                for one, line in enumerate(lines)
                if left[one] > 0 and _distance(credit, line) == distance
            ]
            taken = min(-left[place], sum(left[one] for one in near))
            exact = {
                one: Fraction(taken * left[one], sum(left[two] for two in near))
                for one in near
            }
            rest = taken - sum(map(floor, exact.values()))
            near.sort(key=lambda one: (floor(exact[one]) - exact[one], one))
            for rank, one in enumerate(near):
                left[one] -= floor(exact[one]) + (rank < rest)
            left[place] += taken
    return left


def _distance(credit: tuple[str, str, int], line: tuple[str, str, int]) -> int:
    (product, kind, _), (of_product, of_kind, _) = credit, line
    if product and product == of_product:
        return 0
    kind = kind.strip().lower()
    return 1 if kind and kind == of_kind.strip().lower() else 2
