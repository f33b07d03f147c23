"""A file as rows of text, one after the other: it is never held as a whole."""

from __future__ import annotations

import csv
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from io import SEEK_END, StringIO, TextIOWrapper
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

MAX_ROWS = 200_000
MAX_COLUMNS = 200
MAX_CELL = 4_000
# Below the csv module's own limit for a cell.
MAX_RECORD = 100_000
SEPARATORS = ",;\t|"

_CHUNK = 1 << 16
_BOMS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


def read_rows(
    file: BinaryIO, *, kind: ImportKind, source: Source = Source.OWN
) -> Iterator[TextRow]:
    """Its rows, read from the beginning; ``file`` can be sought in and stays open.

    Raises UnreadableFile, at the first row or when the damage is reached.
    """
    size = file.seek(0, SEEK_END)
    if size > MAX_BYTES:
        raise UnreadableFile("too_large", limit=MAX_BYTES // 1_000_000)
    encoding = _encoding_of(file)
    file.seek(0)
    text = TextIOWrapper(file, encoding=encoding, newline="")
    try:
        yield from _rows(text, kind=kind, source=source)
    except UnicodeDecodeError:
        raise UnreadableFile("undecodable", encoding=encoding) from None
    finally:
        text.detach()


def _rows(text: TextIO, *, kind: ImportKind, source: Source) -> Iterator[TextRow]:
    section = export_of(source, kind).section
    records = _Records(text, _separator(text, kind=kind, source=source))
    headings = _headings(records, section=section)
    if len(headings) > MAX_COLUMNS:
        raise UnreadableFile("too_many_columns", records.number, limit=MAX_COLUMNS)
    layout = layout_of(headings, kind=kind, source=source, row_number=records.number)
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


class _Records:
    """The records of a text, counted as a spreadsheet does, each within the limit."""

    def __init__(self, text: TextIO, separator: str) -> None:
        self.number = 0
        self._is_first = True
        self._text = text
        self._left = MAX_RECORD
        self._reader = csv.reader(self._lines(), delimiter=separator, strict=True)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        cells = self._read()
        # A first line of Excel's, which names the separator and is no row.
        if self._is_first and cells and cells[0].casefold().startswith("sep="):
            self.number = 0
            cells = self._read()
        self._is_first = False
        return cells

    def _read(self) -> list[str]:
        self.number += 1
        self._left = MAX_RECORD
        try:
            return next(self._reader)
        except csv.Error:
            raise UnreadableFile("broken_quotes", self.number) from None

    def _lines(self) -> Iterator[str]:
        while line := self._text.readline(self._left + 1):
            self._left -= len(line)
            if self._left < 0:
                raise UnreadableFile("record_too_long", self.number, limit=MAX_RECORD)
            yield line


def _headings(records: _Records, *, section: str) -> list[str]:
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


def _begins_section(cells: Sequence[str]) -> bool:
    return bool(cells) and cells[0].strip().startswith("[[")


def _separator(text: TextIO, *, kind: ImportKind, source: Source) -> str:
    """By which the headings are most of ours, then most at all."""
    head = text.read(MAX_RECORD)
    text.seek(0)
    section = export_of(source, kind).section

    def score(separator: str) -> tuple[int, int]:
        try:
            records = _Records(StringIO(head, newline=""), separator)
            cells = _headings(records, section=section)
        except UnreadableFile:
            return (-1, 0)
        return count_known(cells, kind=kind, source=source), len(cells)

    return max(SEPARATORS, key=score)


def _encoding_of(file: BinaryIO) -> str:
    """By its mark, else UTF-8 where all of it is, else that of Windows."""
    file.seek(0)
    start = file.read(4)
    for mark, encoding in _BOMS.items():
        if start.startswith(mark):
            return encoding
    if start[1::2] == b"\x00\x00":
        return "utf-16-le"
    if start[::2] == b"\x00\x00":
        return "utf-16-be"
    wrong, right = _count_outside_ascii(file)
    if wrong == 0:
        return "utf-8"
    # By chance the text of Windows is seldom UTF-8, and never mostly.
    if right >= wrong:
        raise UnreadableFile("damaged_utf8")
    return "cp1252"


def _count_outside_ascii(file: BinaryIO) -> tuple[int, int]:
    """How many characters are no UTF-8, and how many are and no ASCII either."""
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    wrong = right = 0
    file.seek(0)
    while True:
        chunk = file.read(_CHUNK)
        text = decoder.decode(chunk, final=not chunk)
        known = text.encode("utf-8", "ignore").decode()
        wrong += len(text) - len(known)
        right += len(known) - len(known.encode("ascii", "ignore"))
        if not chunk:
            return wrong, right
