"""Parses each row of a file and judges it against stored rows. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from io import BytesIO
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from affiliates.contrib.imports.files.parsing import parse
from affiliates.contrib.imports.files.reading import read_rows
from affiliates.contrib.imports.files.rows import (
    DateOrder,
    DecimalMark,
    Fault,
    ImportKind,
    ParseOptions,
    RowError,
    Source,
    UnreadableFile,
)
from affiliates.contrib.imports.kinds.earnings import Balances, Coupons, Orders
from affiliates.contrib.imports.kinds.kind import AT_ONCE, Found, Kind, Run
from affiliates.contrib.imports.kinds.people import Affiliates, Clients, Links
from affiliates.contrib.imports.models import ImportFile
from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column

KINDS: dict[ImportKind, type[Kind[Any]]] = {
    ImportKind.AFFILIATES: Affiliates,
    ImportKind.LINKS: Links,
    ImportKind.CLIENTS: Clients,
    ImportKind.BALANCES: Balances,
    ImportKind.COUPONS: Coupons,
    ImportKind.ORDERS: Orders,
}
# So many are kept and shown; all are counted.
MAX_FAULTS = 10_000
_FILE = Purpose(b"affiliates.import_file.v1")

register_column("affiliates_imports.ImportFile", "content", purpose=_FILE)

Progress = Callable[[int], object]


@dataclass
class Examined:
    """Judged rows: ``bad_count`` have errors, ``same_count`` are stored already."""

    found: list[tuple[int, Found]] = field(default_factory=list)
    faults: list[RowError] = field(default_factory=list)
    same_count: int = 0
    bad_count: int = 0

    def counts(self) -> dict[str, int]:
        new = sum(examined_row.made is not None for _, examined_row in self.found)
        return {
            "new_count": new,
            "matched_count": len(self.found) - new,
            "same_count": self.same_count,
            "bad_count": self.bad_count,
        }


def examine(file: ImportFile, run: Run, progress: Progress | None = None) -> Examined:
    """Judge every row. Raises UnreadableFile. Writes nothing."""
    kind = KINDS[ImportKind(file.kind)](run)
    examined, done = Examined(), 0
    for batch in _batches(file):
        good = [(number, row) for number, row in batch if not isinstance(row, tuple)]
        kind.look_up([row for _, row in good])
        for number, row in batch:
            _judge(kind, number, row, examined)
        done += len(batch)
        if progress is not None:
            progress(done)
    return examined


def _judge(kind: Kind[Any], number: int, row: Any, examined: Examined) -> None:
    try:
        examined_row = None if isinstance(row, tuple) else kind.judge(row, number)
    except Fault as fault:
        row = (fault.at(number),)
    if isinstance(row, tuple):
        examined.bad_count += 1
        examined.faults += row[: MAX_FAULTS - len(examined.faults)]
    elif examined_row is None:
        examined.same_count += 1
    else:
        examined.found.append((number, examined_row))


def _batches(file: ImportFile) -> Iterator[list[tuple[int, Any]]]:
    kind, options = ImportKind(file.kind), _options_of(file)
    rows = read_rows(_content(file), kind=kind, source=Source(file.source))
    kept = (
        (row.number, parse(kind, row, options)) for row in rows if not row.is_skipped
    )
    while batch := list(islice(kept, AT_ONCE)):
        yield batch


def to_json(options: ParseOptions) -> dict[str, str]:
    return {**asdict(options), "zone": str(options.zone)}


def _options_of(file: ImportFile) -> ParseOptions:
    kept = file.options
    return ParseOptions(
        currency=kept["currency"],
        reason=kept["reason"],
        decimal_mark=DecimalMark(kept["decimal_mark"]),
        date_order=DateOrder(kept["date_order"]),
        zone=ZoneInfo(kept["zone"]),
    )


def sealed(content: bytes) -> str:
    return _FILE.encrypt(content)


def _content(file: ImportFile) -> BytesIO:
    try:
        return BytesIO(_FILE.decrypt(file.content))
    except SecretUnreadable:
        raise UnreadableFile("key_is_gone") from None
