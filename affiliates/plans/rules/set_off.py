"""Sets an invoice's credits off against its other lines, before any rate. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from affiliates.plans.rules.matching import normal_word


class LineBase(NamedTuple):
    """A line with its base in minor units: below zero, the line is a credit."""

    position: int
    product_ref: str
    kind: str
    base: int


class SetOff(NamedTuple):
    """The set-off between a line and the one at the position ``line``.

    Above zero: the credit of that line lowered this base. Below zero: this credit
    lowered the base of that line.
    """

    line: int
    amount: int


def set_off(lines: Sequence[LineBase]) -> list[list[SetOff]]:
    """The set-offs of each line, credits in the order of the lines.

    A credit lowers the bases of lines with its product; the rest lowers those of its
    kind, then all others: in proportion to the bases, none below zero. A rest that
    finds no base is dropped.
    """
    taken: list[list[SetOff]] = [[] for _ in lines]
    left = [line.base for line in lines]
    for place, credit in enumerate(lines):
        if credit.base >= 0:
            continue
        for group in _groups(credit, lines):
            targets = [target for target in group if left[target] > 0]
            parts = _parts(-left[place], [left[target] for target in targets])
            for one, amount in zip(targets, parts, strict=True):
                if amount:
                    left[one] -= amount
                    left[place] += amount
                    taken[one].append(SetOff(credit.position, amount))
                    taken[place].append(SetOff(lines[one].position, -amount))
    return taken


def _groups(credit: LineBase, lines: Sequence[LineBase]) -> Iterator[list[int]]:
    """The places of the lines that the credit lowers, the nearest first."""
    product, kind = credit.product_ref, normal_word(credit.kind)
    every = range(len(lines))
    if product:
        yield [place for place in every if lines[place].product_ref == product]
    if kind:
        yield [place for place in every if normal_word(lines[place].kind) == kind]
    yield list(every)


def _parts(amount: int, bases: Sequence[int]) -> list[int]:
    """The amount in proportion to the bases, and at most all of them.

    Units that rounding down leaves go to the largest fractions, of equal ones to the
    first.
    """
    total = sum(bases)
    if amount >= total:
        return list(bases)
    parts = [amount * base // total for base in bases]
    by_fraction = sorted(
        range(len(bases)), key=lambda row: amount * bases[row] % total, reverse=True
    )
    for place in by_fraction[: amount - sum(parts)]:
        parts[place] += 1
    return parts
