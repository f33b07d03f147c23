"""Tables as text that other programs wrote: encoding, separator, records. Pure."""

from __future__ import annotations

import csv
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from io import SEEK_SET, StringIO, TextIOWrapper
from typing import Any, BinaryIO, TextIO

# Below the csv module's own limit for a cell.
MAX_RECORD = 100_000
SEPARATORS = ",;\t|"

_CHUNK = 1 << 16
_BOMS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# What people save or rename instead of CSV, by how it begins.
_FORMS = (
    (b"PK\x03\x04", "is_workbook"),
    (b"\xd0\xcf\x11\xe0", "is_workbook"),
    (b"<", "is_page"),
    (b"%PDF", "is_pdf"),
)


class UnreadableTable(Exception):
    """The text is no table, or none from some record on; ``code`` is the reason."""

    def __init__(self, code: str, number: int = 0, /, **params: str | int) -> None:
        super().__init__(code)
        self.code, self.number, self.params = code, number, params


def open_table(file: BinaryIO) -> TextIOWrapper:
    """The file's text from its beginning. Raises UnreadableTable if it has none."""
    encoding = _encoding_of(file)
    file.seek(0)
    return TextIOWrapper(file, encoding=encoding, newline="")


def form_of(start: bytes) -> str:
    """The reason why a file with this beginning is no text, "" if it may be one."""
    plain = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((code for mark, code in _FORMS if plain.startswith(mark)), "")


class Records:
    """The records of a text, counted as a spreadsheet does, each within the limit."""

    def __init__(self, text: TextIO, separator: str) -> None:
        self.number = 0
        self._is_first = True
        self._text = text
        self._left = MAX_RECORD
        self._reader = csv.reader(
            self._lines(), delimiter=separator, strict=True, skipinitialspace=True
        )

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
            raise UnreadableTable("broken_quotes", self.number) from None

    def _lines(self) -> Iterator[str]:
        while line := self._text.readline(self._left + 1):
            self._left -= len(line)
            if self._left < 0:
                raise UnreadableTable("record_too_long", self.number, limit=MAX_RECORD)
            yield line


def separator_of(text: TextIO, score: Callable[[Records], Any]) -> str:
    """The separator by which the beginning scores best; the text is rewound."""
    head = text.read(MAX_RECORD)
    text.seek(0, SEEK_SET)
    return max(
        SEPARATORS, key=lambda mark: score(Records(StringIO(head, newline=""), mark))
    )


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
        raise UnreadableTable("damaged_utf8")
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
