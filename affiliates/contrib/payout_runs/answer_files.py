"""An uploaded file: checked against the limits, unpacked, recognised by its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import chain, count, islice
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

from affiliates.contrib.payout_runs import camt, paypal_results
from affiliates.contrib.payout_runs.models import MAX_SENTENCE, MAX_TEXT
from affiliates.contrib.payout_runs.types import Entry
from affiliates.errors import InvalidInput
from affiliates.payouts.providers.bank import BankTransfer
from affiliates.payouts.providers.paypal import PayPalFile

MAX_BYTES = 10 * 1024 * 1024
MAX_UNPACKED = 40 * 1024 * 1024
MAX_MEMBERS = 100
MAX_ROWS = 20_000
_MARKS = b"\xef\xbb\xbf\xff\xfe"


def read_answer(content: bytes) -> tuple[str, list[Entry]]:
    """The file's sender and entries. Raises InvalidInput if it is unreadable."""
    if len(content) > MAX_BYTES:
        raise _too_large(f"{MAX_BYTES >> 20} MB")
    elements = count(1)
    if not content.startswith(b"PK\x03\x04"):
        kind, entries = _one(content, elements)
        return kind, limited(entries)
    files = [_one(member, elements) for member in _unpack(content)]
    kinds = {kind for kind, _ in files}
    if len(kinds) != 1:
        raise InvalidInput("unknown_file", "The archive holds no files of one sender.")
    return kinds.pop(), limited(
        chain.from_iterable(file_entries for _, file_entries in files)
    )


def limited(entries: Iterator[Entry]) -> list[Entry]:
    """The entries, cut to what is stored. Raises InvalidInput for too many."""
    rows = list(islice(entries, MAX_ROWS + 1))
    if len(rows) > MAX_ROWS:
        raise _too_large(f"{MAX_ROWS:,} lines")
    return [
        replace(
            entry,
            reference=entry.reference[:MAX_TEXT],
            reason=entry.reason[:MAX_SENTENCE],
        )
        for entry in rows
    ]


def _one(content: bytes, elements: Iterator[int]) -> tuple[str, Iterator[Entry]]:
    # Also for UTF-16.
    start = content[:1024].lstrip(_MARKS).replace(b"\x00", b"").lstrip()
    if start[:14].lower().startswith((b"<html", b"<!doctype html")):
        raise InvalidInput("unknown_file", "This is a web page, and no file of a bank.")
    if start.startswith(b"<"):
        return BankTransfer.code, camt.read_bank_file(content, elements)
    if start.startswith(b"{"):
        return PayPalFile.code, paypal_results.read_json(content)
    return PayPalFile.code, paypal_results.read_csv(content, limit=MAX_ROWS)


def _unpack(content: bytes) -> Sequence[bytes]:
    """Unpacks an archive within the limits; sizes that it states are not trusted."""
    unpacked: list[bytes] = []
    left = MAX_UNPACKED
    try:
        with ZipFile(BytesIO(content)) as archive:
            if "[Content_Types].xml" in archive.namelist():
                raise InvalidInput(
                    "unknown_file",
                    "This is a workbook (.xlsx), and no text: save its sheet as CSV.",
                )
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MAX_MEMBERS:
                raise _too_large(f"{MAX_MEMBERS} files")
            for member in members:
                with archive.open(member) as file:
                    part = file.read(left + 1)
                left -= len(part)
                if left < 0:
                    raise _too_large(f"{MAX_UNPACKED >> 20} MB unpacked")
                unpacked.append(part)
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, ZlibError):
        raise InvalidInput("unreadable_file", "The archive cannot be read.") from None
    return unpacked


def _too_large(limit: str) -> InvalidInput:
    return InvalidInput("too_large", f"The file has more than {limit}.")
