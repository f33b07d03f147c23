"""Copies of a template: who they belong to, when they were, and their rows as text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

from affiliates.db.seals import digest_of
from portal.demo.seeding.rows import PERSONAL, Snapshot
from portal.demo.seeding.template import (
    GROUP,
    VERSION_DIGIT,
    Row,
    Slot,
    Template,
    with_hyphens,
)

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MARK_LENGTH = 4
# Odd, so that no two numbers give the same bits: the golden ratio's.
_SPREAD = 0x9E3779B97F4A7C15
_BITS = (1 << 60) - 1
_MILLISECONDS_PER_DAY = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A copy among the others: its number, how many days it is moved, its first keys,
    and the first of its brand's numbers without gaps, by table.

    ``texts`` replace the texts of slots, by their table and text: where the copy is of
    rows that exist, and for marks and varied columns.
    """

    number: int
    days: int
    bases: Mapping[str, int]
    first_numbers: Mapping[str, int]
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(kw_only=True)
class Source:
    """A template that is copied, with the rank of each key in its table."""

    template: Template

    @cached_property
    def ranks(self) -> dict[tuple[str, str], int]:
        return {
            (name, pk): rank
            for name, table in self.template.snapshot.tables.items()
            for rank, pk in enumerate(table.pks)
        }

    @cached_property
    def numbers(self) -> dict[str, dict[str, int]]:
        """The rank of each number without gaps, by its table."""
        by_table: dict[str, set[str]] = defaultdict(set)
        for slot in self.template.slots:
            if slot.kind == "number":
                by_table[slot.table].add(slot.value)
        return {
            table: {number: rank for rank, number in enumerate(sorted(texts, key=int))}
            for table, texts in by_table.items()
        }

    @property
    def counts(self) -> dict[str, int]:
        tables = self.template.snapshot.tables.items()
        return {name: len(table.rows) for name, table in tables}


class Keys:
    """Gives each copy the next keys of every table."""

    def __init__(self, fixed: Snapshot) -> None:
        self._next: dict[str, int] = defaultdict(lambda: 1)
        for name, table in fixed.tables.items():
            numbers = [int(pk) for pk in table.pks if pk.isdigit()]
            self._next[name] = max(numbers, default=0) + 1

    def take(self, counts: Mapping[str, int]) -> dict[str, int]:
        taken = {name: self._next[name] for name in counts}
        for name, count in counts.items():
            self._next[name] += count
        return taken


def render(
    source: Source, group: Source, *, place: Place, group_place: Place
) -> dict[str, str]:
    """Each table's rows as COPY reads them. A group is its own group."""
    values = [
        _value(slot, group, group_place)
        if slot.scope == GROUP
        else _value(slot, source, place)
        for slot in source.template.slots
    ]
    return {
        name: "\n".join(_line(row, values) for row in rows)
        for name, rows in source.template.tables.items()
    }


def _line(row: Row, values: list[str]) -> str:
    line = row.line.render(values)
    if row.seal is None or row.personal is None:
        return line
    personal = digest_of(row.personal.render(values))
    return line + digest_of(row.seal.render(values).replace(PERSONAL, personal))


def _value(slot: Slot, source: Source, place: Place) -> str:
    if (text := place.texts.get((slot.table, slot.value))) is not None:
        return text
    if slot.kind == "column":
        return slot.value
    if slot.kind == "key":
        rank = source.ranks[slot.table, slot.value]
        return str(place.bases[slot.table] + rank)
    if slot.kind == "day":
        return str(date.fromisoformat(slot.value) + timedelta(days=place.days))
    if slot.kind == "mark":
        return _mark(place.number)
    if slot.kind == "number":
        rank = source.numbers[slot.table][slot.value]
        number = str(place.first_numbers[slot.table] + rank)
        is_padded = slot.value.startswith("0")
        return number.zfill(len(slot.value)) if is_padded else number
    return _moved(slot.value, place)


def _mark(number: int) -> str:
    text = ""
    for _ in range(MARK_LENGTH):
        number, digit = divmod(number, len(DIGITS))
        text = DIGITS[digit] + text
    return text


def _moved(text: str, place: Place) -> str:
    """Another UUID, hash or fingerprint; one that holds a time is of the copy's time."""
    digits = text.replace("-", "")
    number = int(digits, 16)
    if len(digits) == 32 and digits[VERSION_DIGIT] == "7":
        number += place.days * _MILLISECONDS_PER_DAY << 80
    number ^= (place.number + 1) * _SPREAD & _BITS
    moved = f"{number:0{len(digits)}x}"
    return with_hyphens(moved) if "-" in text else moved
