"""A file as rows of text, one after the other: it is never held as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import SEEK_END
from itertools import islice
from typing import BinaryIO, TextIO

from affiliates.contrib.imports.files.columns import (
    Layout,
    count_known,
    export_of,
    layout_of,
)
from affiliates.contrib.imports.files.rows import (
    MAX_BYTES,
    ImportKind,
    RowError,
    Source,
    TextRow,
    UnreadableFile,
)
from affiliates.core.spreadsheets import neutral_text
from affiliates.core.tables.reading import (
    Records,
    UnreadableTable,
    form_of,
    open_table,
    separator_of,
)

MAX_ROWS = 200_000
MAX_COLUMNS = 200
MAX_CELL = 4_000
# Rows with a title or a date above the headings.
MAX_TITLE = 10
_START = 1_024


def read_rows(
    file: BinaryIO, *, kind: ImportKind, source: Source = Source.OWN
) -> Iterator[TextRow]:
    """Its rows, read from the beginning; ``file`` can be sought in and stays open.

    Raises UnreadableFile, at the first row or when the damage is reached.
    """
    size = file.seek(0, SEEK_END)
    if size > MAX_BYTES:
        raise UnreadableFile("too_large", limit=MAX_BYTES // 1_000_000)
    file.seek(0)
    if form := form_of(file.read(_START)):
        raise UnreadableFile(form)
    text = None
    try:
        text = open_table(file)
        yield from _rows(text, kind=kind, source=source)
    except UnicodeDecodeError:
        encoding = "" if text is None else text.encoding
        raise UnreadableFile("undecodable", encoding=encoding) from None
    except UnreadableTable as refusal:
        raise UnreadableFile(refusal.code, refusal.number, **refusal.params) from None
    finally:
        if text is not None:
            text.detach()


def _rows(text: TextIO, *, kind: ImportKind, source: Source) -> Iterator[TextRow]:
    section = export_of(source, kind).section
    records = Records(text, _separator(text, kind=kind, source=source))
    headings = _headings(records, section=section)
    if len(headings) > MAX_COLUMNS:
        raise UnreadableFile("too_many_columns", records.number, limit=MAX_COLUMNS)
    number = records.number
    try:
        layout = layout_of(headings, kind=kind, source=source, row_number=number)
    except UnreadableFile:
        if row := _row_of_headings(records, kind=kind, source=source):
            raise UnreadableFile("title_above", number, row=row) from None
        raise
    for cells in records:
        if section and _begins_section(cells):
            return
        if records.number > MAX_ROWS:
            raise UnreadableFile("too_many_rows", limit=MAX_ROWS)
        if any(cell.strip() for cell in cells):
            yield _row(records.number, cells, layout)


def _row(number: int, cells: Sequence[str], layout: Layout) -> TextRow:
    # A spreadsheet's empty columns behind the last one that has a heading.
    if not any(cells[layout.width :]):
        cells = cells[: layout.width]
    if len(cells) != layout.width:
        code = "too_few_cells" if len(cells) < layout.width else "too_many_cells"
        params = {"found": len(cells), "wanted": layout.width}
        return TextRow(number, errors=(RowError(number, "", code, params),))
    if layout.is_skipped(cells):
        return TextRow(number, is_skipped=True)
    values = layout.values_of(cells)
    errors = []
    for column, value in values.items():
        if "\x00" in value:
            errors.append(RowError(number, column, "nul"))
        elif len(value) > MAX_CELL:
            errors.append(RowError(number, column, "too_long", {"limit": MAX_CELL}))
        # Saved against formulas by a program like ours.
        elif value.startswith("'") and neutral_text(value[1:]) == value:
            values[column] = value[1:]
    return TextRow(number, values, tuple(errors))


def _headings(records: Records, *, section: str) -> list[str]:
    """The first row that holds something; of a file in sections, that of the section."""
    is_wanted = True
    for cells in records:
        if section and _begins_section(cells):
            is_wanted = cells[0].strip().strip("[]").upper() == section
        elif is_wanted and any(cell.strip() for cell in cells):
            while not cells[-1].strip():
                cells.pop()
            return cells
    raise UnreadableFile("no_headings" if is_wanted else "no_section", name=section)


def _row_of_headings(records: Records, *, kind: ImportKind, source: Source) -> int:
    """The next row that has headings, where a title stands above them; else 0."""
    with suppress(UnreadableTable):
        for cells in islice(records, MAX_TITLE):
            filled = sum(bool(cell.strip()) for cell in cells)
            known = count_known(cells, kind=kind, source=source)
            if known and (known > 1 or filled == 1):
                return records.number
    return 0


def _begins_section(cells: Sequence[str]) -> bool:
    return bool(cells) and cells[0].strip().startswith("[[")


def _separator(text: TextIO, *, kind: ImportKind, source: Source) -> str:
    """By which the headings are most of ours, then most at all."""
    section = export_of(source, kind).section

    def score(records: Records) -> tuple[int, bool, int]:
        try:
            cells = _headings(records, section=section)
        except (UnreadableFile, UnreadableTable):
            return (-1, False, 0)
        known = count_known(cells, kind=kind, source=source)
        is_title = not known and _row_of_headings(records, kind=kind, source=source) > 0
        return known, is_title, len(cells)

    return separator_of(text, score)
