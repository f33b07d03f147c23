"""The rows of a history as a template: their texts, with what differs in a copy left out.

What differs is found by its form: the keys of rows that the history made, in columns and
in documents; UUIDs; the day in a moment; and the marks in e-mails and codes. Each comes
from the group of affiliates (``GROUP``) or from the history itself (``COPY``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import models

from affiliates.hooks import own_apps
from portal.demo.seeding.rows import Snapshot, Table

GROUP, COPY = "group", "copy"
# In e-mails and codes: a copy has four letters and digits of its own instead, or the
# text that its place has for the mark. Further marks are of the copy.
GROUP_MARK, COPY_MARK = "zzg0000", "zzc0000"
VERSION_DIGIT = 12
# Columns that hold numbers without gaps, of each brand.
NUMBERED = {"portal_invoice": ("number",)}

_FOUND = re.compile(
    r"(?P<mark>zz[a-z]0000)"
    r"|(?P<day>\b20\d\d-\d\d-\d\d)(?=[T ]\d\d:\d\d)"
    r"|(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
    r'|(?P<hex>(?<=fingerprint": ")[0-9a-f]{64}'
    r"|(?<![0-9a-f])(?:[0-9a-f]{40}|[0-9a-f]{32})(?![0-9a-f]))"
    r'|"(?P<name>[a-z_]+_id)": "?(?P<id>\d+)\b(?!-)'
    r'|"stood_down": \[(?P<affiliates>[\d, ]+)\]'
)
_NUMBER = re.compile(r"\d+")
_LAST_NUMBER = re.compile(r"\d+\Z")
_DAY = re.compile(r"(?P<day>20\d\d-\d\d-\d\d)\Z")
_HEX = re.compile(r"(?P<hex>[0-9a-f]{64})\Z")
# Keys in texts, by the name of the model whose they are.
_KEYS = {
    ("affiliates_ledgerposting", "key"): re.compile(
        r"commission:(?P<commission>\d+)"
        r":(?:reversed:(?P<salereversal>\d+)|\w+:(?P<commissionevent>\d+))"
        r"|payout:(?P<payout>\d+)"
    ),
    ("affiliates_delivery", "key"): re.compile(
        r"sale:(?P<sale>\d+)(?::(?P<salereversal>\d+))?"
    ),
}


class Slot(NamedTuple):
    """Something that differs: ``value`` as it was, of ``table`` where it is a key."""

    kind: str
    scope: str
    value: str
    table: str = ""


class Text(NamedTuple):
    """A format with ``%s`` for each slot, and the numbers of its slots."""

    form: str
    slots: tuple[int, ...]

    def render(self, values: list[str]) -> str:
        if not self.slots:
            return self.form % ()
        texts = itemgetter(*self.slots)(values)
        return self.form % (texts if len(self.slots) > 1 else (texts,))


class Row(NamedTuple):
    """``line`` as COPY reads it, but for its seal: the digest of the text ``seal``, with
    that of ``personal`` in it."""

    line: Text
    seal: Text | None
    personal: Text | None


@dataclass(kw_only=True)
class Template:
    """All rows of a history or group, table by table, and the slots they share."""

    snapshot: Snapshot
    slots: list[Slot]
    tables: dict[str, list[Row]]


class TemplateMaker:
    """Finds the slots of a snapshot's texts.

    ``fixed`` was there before and stays as it is; ``group`` is what the snapshot builds
    on, unless it is the group itself. ``varied`` are tables and columns whose whole text
    a place may replace.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        fixed: Snapshot,
        group: Snapshot | None,
        varied: Collection[tuple[str, str]] = (),
    ) -> None:
        self._snapshot = snapshot
        self._varied = varied
        self._row_scope = GROUP if group is None else COPY
        self._keys: dict[tuple[str, str], str] = {}
        self._digits: dict[str, str] = dict.fromkeys(_digits_in(fixed), "")
        self._timed: dict[str, str] = {}
        self._learn(group or snapshot, GROUP)
        if group is not None:
            self._learn(snapshot, COPY)
        self._numbers: dict[Slot, int] = {}
        self._named_tables = _tables_by_name()

    def make(self) -> Template:
        tables = {
            name: _joined([self._row(table, row) for row in range(len(table.rows))])
            for name, table in self._snapshot.tables.items()
        }
        return Template(
            snapshot=self._snapshot, slots=list(self._numbers), tables=tables
        )

    def _learn(self, snapshot: Snapshot, scope: str) -> None:
        for name, table in snapshot.tables.items():
            for pk in table.pks:
                self._keys[name, pk] = scope
            self._timed |= _timed_ids(table)
        for digits in _digits_in(snapshot):
            self._digits.setdefault(digits, scope)

    def _row(self, table: Table, number: int) -> Row:
        fields = list(table.model._meta.concrete_fields)
        by_column = {str(field.column): field for field in fields}
        parts: list[str | Slot] = []
        for position, text in enumerate(table.rows[number]):
            if position:
                parts.append("\t")
            if text is None:
                parts.append("\\N")
            else:
                column = by_column[table.columns[position]]
                parts += map(_escaped, self._column(table.model, column, text))
        seal = personal = None
        if table.seals:
            parts.append("\t")
            seal, personal = (
                self._text(self._found(_FOUND, text)) for text in table.seals[number]
            )
        return Row(self._text(parts), seal, personal)

    def _column(
        self, model: type[models.Model], column: Any, text: str
    ) -> Iterable[str | Slot]:
        table = model._meta.db_table
        if (table, column.column) in self._varied:
            return [Slot("column", COPY, text, f"{table}.{column.column}")]
        if column.column in NUMBERED.get(table, ()):
            number = _LAST_NUMBER.search(text)
            if number is not None:
                return [text[: number.start()], Slot("number", COPY, number[0], table)]
        if (table, column.column) in _KEYS:
            return self._found(_KEYS[table, column.column], text)
        target = column.target_field if column.is_relation else column
        if isinstance(target, models.AutoField | models.IntegerField) and (
            column.is_relation or column.primary_key
        ):
            return [self._key(target.model._meta.db_table, text)]
        if isinstance(column, models.DateField) and not isinstance(
            column, models.DateTimeField
        ):
            return self._found(_DAY, text)
        if column.name == "fingerprint":
            return self._found(_HEX, text)
        return self._found(_FOUND, text)

    def _found(self, pattern: re.Pattern[str], text: str) -> Iterator[str | Slot]:
        end = 0
        for match in pattern.finditer(text):
            for (start, stop), slot in self._slots(match):
                yield text[end:start]
                yield slot
                end = stop
        yield text[end:]

    def _slots(
        self, match: re.Match[str]
    ) -> Iterator[tuple[tuple[int, int], str | Slot]]:
        texts = {name: text for name, text in match.groupdict().items() if text}
        name, text = next(iter(texts.items()))
        if name == "mark":
            scope = GROUP if text == GROUP_MARK else COPY
            yield match.span(name), Slot(name, scope, text)
        elif name == "day":
            yield match.span(name), Slot(name, self._row_scope, text)
        elif name in ("uuid", "hex"):
            digits = text.replace("-", "")
            scope = self._digits.get(digits, self._row_scope)
            timed = self._timed.get(digits, digits)
            yield (
                match.span(name),
                Slot(name, scope, with_hyphens(timed) if "-" in text else timed)
                if scope
                else text,
            )
        elif name == "name":
            table = self._named_tables.get(text, "")
            yield match.span("id"), self._key(table, texts["id"])
        elif name == "affiliates":
            start, stop = match.span(name)
            for number in _NUMBER.finditer(match.string, start, stop):
                key = self._key("affiliates_affiliate", number[0])
                yield number.span(), key
        else:
            for name, key in texts.items():
                yield match.span(name), self._key(f"affiliates_{name}", key)

    def _key(self, table: str, value: str) -> str | Slot:
        scope = self._keys.get((table, value))
        return value if scope is None else Slot("key", scope, value, table)

    def _text(self, parts: Iterable[str | Slot]) -> Text:
        form, slots = [], []
        for part in parts:
            if isinstance(part, Slot):
                form.append("%s")
                slots.append(self._numbers.setdefault(part, len(self._numbers)))
            else:
                form.append(part.replace("%", "%%"))
        return Text("".join(form), tuple(slots))


def _timed_ids(table: Table) -> dict[str, str]:
    """UUIDs as they would have been made when the row was: of another time than now."""
    pk = table.model._meta.pk
    if not isinstance(pk, models.UUIDField) or "created_at" not in table.columns:
        return {}
    position = table.columns.index("created_at")
    values = {}
    for key, row in zip(table.pks, table.rows, strict=True):
        digits = key.replace("-", "")
        moment = datetime.fromisoformat(row[position] or "").replace(tzinfo=UTC)
        if digits[VERSION_DIGIT] == "7":
            values[digits] = f"{int(moment.timestamp() * 1000):012x}{digits[12:]}"
    return values


def with_hyphens(digits: str) -> str:
    parts = digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]
    return "-".join(parts)


def _joined(rows: list[Row]) -> list[Row]:
    """Rows without seals are rendered at once."""
    if rows[0].seal is not None:
        return rows
    form = "\n".join(row.line.form for row in rows)
    slots = tuple(slot for row in rows for slot in row.line.slots)
    return [Row(Text(form, slots), None, None)]


def _digits_in(snapshot: Snapshot) -> Iterator[str]:
    """Every UUID and hash that its texts name."""
    for table in snapshot.tables.values():
        for text in (text for row in table.rows for text in row if text):
            for match in _FOUND.finditer(text):
                if digits := match["uuid"] or match["hex"]:
                    yield digits.replace("-", "")


def _escaped(part: str | Slot) -> str | Slot:
    """Escapes the text for COPY's text format."""
    if isinstance(part, Slot):
        return part
    return (
        part.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r")
    )


def _tables_by_name() -> dict[str, str]:
    """``affiliate_id`` in a document is a key of affiliates, and so on."""
    tables: dict[str, str] = {}
    for model in (model for app in own_apps() for model in app.get_models()):
        tables.setdefault(f"{model._meta.model_name}_id", model._meta.db_table)
        for field in model._meta.concrete_fields:
            if field.is_relation and field.related_model is not None:
                tables.setdefault(field.attname, field.related_model._meta.db_table)
    return tables
