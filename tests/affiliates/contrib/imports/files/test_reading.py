"""Files as other programs write them, and as no program should."""

from __future__ import annotations

import csv
import tracemalloc
from contextlib import suppress
from io import BytesIO, StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affiliates.contrib.imports.files import reading
from affiliates.contrib.imports.files.reading import read_rows
from affiliates.contrib.imports.files.rows import (
    ImportKind,
    RowError,
    Source,
    TextRow,
    UnreadableFile,
)
from affiliates.core.tables.reading import SEPARATORS
from tests.cases import each
from tests.lengths import times

HEADINGS = "affiliate_code,amount,currency,reason"
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252")


def read(
    content: bytes | str,
    kind: ImportKind = ImportKind.BALANCES,
    source: Source = Source.OWN,
) -> list[TextRow]:
    if isinstance(content, str):
        content = content.encode()
    return list(read_rows(BytesIO(content), kind=kind, source=source))


def texts(*rows: str) -> list[str]:
    """The reasons of these lines below the headings."""
    return [row.values["reason"] for row in read("\n".join([HEADINGS, *rows]))]


def errors_of(*rows: str) -> list[tuple[int, str, str]]:
    found = read("\n".join([HEADINGS, *rows]))
    return [
        (one.row_number, one.column, one.code) for row in found for one in row.errors
    ]


def refusal_of(content: bytes | str, *args: object) -> RowError:
    with pytest.raises(UnreadableFile) as refused:
        read(content, *args)
    return refused.value.error


@each("encoding", ENCODINGS)
def test_encodings_are_told_apart(encoding):
    content = f"{HEADINGS}\nabc,1,EUR,Münze “x” für José\n".encode(encoding)

    assert [row.values["reason"] for row in read(content)] == ["Münze “x” für José"]


@each("separator", ",;\t|")
@each("ending", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends_are_told_apart(separator, ending):
    lines = [HEADINGS, "abc,1,EUR,x", "def,2,USD,y"]
    content = ending.join(lines).replace(",", separator)

    assert [tuple(row.values.values()) for row in read(content)] == [
        ("abc", "", "", "1", "EUR", "x", ""),
        ("def", "", "", "2", "USD", "y", ""),
    ]


def test_a_heading_with_commas_does_not_change_the_separator():
    content = "a,b,c,d,e,f;userid;refid;username\n1;2;3;a@example.com"

    rows = read(content, ImportKind.AFFILIATES, Source.PAP)

    assert rows[0].values["email"] == "a@example.com"


@each(
    ("_case", "line", "text"),
    [
        ("plain", "a,1,EUR,x", "x"),
        ("blanks around", "a,1,EUR,  x ", "x"),
        ("quoted separator", 'a,1,EUR,"x, y"', "x, y"),
        ("quoted line break", 'a,1,EUR,"x\ny"', "x\ny"),
        ("doubled quotes", 'a,1,EUR,"x ""y"" z"', 'x "y" z'),
        ("quotes inside", 'a,1,EUR,12" disk', '12" disk'),
        ("saved against formulas", "a,1,EUR,'=1+1", "=1+1"),
        ("apostrophe", "a,1,EUR,'t is", "'t is"),
        ("empty columns behind", "a,1,EUR,x,,,", "x"),
    ],
)
def test_cells(line, text):
    assert texts(line) == [text]


def test_rows_are_numbered_as_a_spreadsheet_numbers_them():
    content = f'\n{HEADINGS}\na,1,EUR,"two\nlines"\n\n,,,\nb,1,EUR,x\n'

    assert [row.number for row in read(content)] == [3, 6]


def test_what_excel_says_of_the_separator_is_no_row():
    content = f"sep=;\n{HEADINGS}\na;1;EUR;x".replace(",", ";")

    assert [(row.number, row.values["reason"]) for row in read(content)] == [(2, "x")]


def test_only_the_first_line_names_the_separator():
    refused = refusal_of("sep=;\n" * 5_000)

    assert (refused.row_number, refused.code) == (1, "unknown_column")


def test_headings_may_be_written_freely_and_in_any_order():
    content = "REASON; Affiliate Code ;amount;Currency;\nx;abc;1;EUR"

    assert read(content)[0].values["affiliate_code"] == "abc"


@each(
    ("line", "error"),
    [
        ("a,1,EUR", (3, "", "too_few_cells")),
        ("a,1,EUR,x,y", (3, "", "too_many_cells")),
        ("a,1,E\x00R,x", (3, "currency", "nul")),
        (f"a,1,EUR,{'x' * 4001}", (3, "reason", "too_long")),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_read(line, error):
    assert errors_of("a,1,EUR,good", line, "b,1,EUR,good") == [error]
    assert len(read(f"{HEADINGS}\na,1,EUR,x\n{line}\nb,1,EUR,x")) == 3


@each(
    ("_case", "content", "code", "row"),
    [
        ("nothing", "", "no_headings", 0),
        ("blank lines", "\n \n", "no_headings", 0),
        ("no headings", "abc,1,EUR,x\nabc,1,EUR,x", "unknown_column", 1),
        ("typo", f"{HEADINGS},refrence\n", "unknown_column", 1),
        ("twice", f"{HEADINGS},Amount\n", "duplicate_column", 1),
        ("unnamed", "affiliate_code,,amount\n", "unnamed_column", 1),
        ("no affiliate", "amount,currency,reason\n", "missing_column", 1),
        ("many columns", ",".join(["x"] * 201), "too_many_columns", 1),
        ("unclosed quote", f'{HEADINGS}\na,1,EUR,"x\nb,1,EUR,x', "broken_quotes", 2),
        ("stray quote", f'{HEADINGS}\na,1,EUR,x\nb,1,EUR,"x"y', "broken_quotes", 3),
        ("long line", f"{HEADINGS}\n{'x' * 100_001}", "record_too_long", 2),
        ("endless cell", f'{HEADINGS}\n"' + "x\n" * 60_000, "record_too_long", 2),
        ("no text", b"\x89PNG\r\n\x1a\n\x81\x8d\x8f", "undecodable", 0),
        (
            "half UTF-16",
            f"{HEADINGS}\n".encode("utf-16") + b"\x00\xd8",
            "undecodable",
            0,
        ),
        (
            "damaged UTF-8",
            f"{HEADINGS}\na,1,EUR,äöü".encode() + b"\xff",
            "damaged_utf8",
            0,
        ),
    ],
)
def test_unreadable(content, code, row):
    error = refusal_of(content)

    assert (error.code, error.row_number) == (code, row)


def test_rows_before_the_damage_are_read():
    file = BytesIO(f'{HEADINGS}\na,1,EUR,x\nb,1,EUR,"x'.encode())
    rows = read_rows(file, kind=ImportKind.BALANCES)

    assert next(rows).values["reason"] == "x"
    with pytest.raises(UnreadableFile):
        next(rows)


def test_size_and_rows_are_limited(monkeypatch):
    content = f"{HEADINGS}\n" + "a,1,EUR,x\n" * 3
    monkeypatch.setattr(reading, "MAX_ROWS", 3)

    assert refusal_of(content) == RowError(0, "", "too_many_rows", {"limit": 3})

    monkeypatch.setattr(reading, "MAX_BYTES", len(content) - 1)
    assert refusal_of(content).code == "too_large"


def test_the_file_stays_open_and_can_be_read_again():
    file = BytesIO(f"{HEADINGS}\na,1,EUR,x".encode())

    rows = [list(read_rows(file, kind=ImportKind.BALANCES)) for _ in range(2)]

    assert len(rows[0]) == 1
    assert rows[0] == rows[1]


def test_a_large_file_is_not_held():
    content = f"{HEADINGS}\n" + f"abc,1.00,EUR,{'ä' * 3_000}\n" * 1_000
    file = BytesIO(content.encode())
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_rows(file, kind=ImportKind.BALANCES))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 1_000
    assert len(content.encode()) > 6_000_000
    assert peak < 3_000_000


CELLS = st.text("ab1äß€“,;\t|'\"=- \n\u00a0", max_size=6)


@settings(max_examples=times(60, long=2_000), deadline=None)
@given(
    rows=st.lists(st.tuples(*[CELLS] * 3), min_size=1, max_size=4),
    encoding=st.sampled_from(ENCODINGS),
    separator=st.sampled_from(SEPARATORS),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_a_program_writes_is_read(rows, encoding, separator, quoting):
    text = StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting)
    writer.writerow(["affiliate_code", "amount", "reason"])
    writer.writerows([("a" + code, amount, reason) for code, amount, reason in rows])

    found = read(text.getvalue().encode(encoding))

    def kept(cell: str) -> str:
        cell = cell.strip()
        return cell[1:] if cell.startswith(("'=", "'+", "'-", "'@")) else cell

    assert [
        (row.values["affiliate_code"], row.values["amount"], row.values["reason"])
        for row in found
    ] == [(f"a{one}".strip(), kept(two), kept(three)) for one, two, three in rows]


@settings(max_examples=times(60, long=5_000), deadline=None)
@given(
    head=st.sampled_from([b"", b"\xff\xfe", b"\xef\xbb\xbf", f"{HEADINGS}\n".encode()]),
    rest=st.binary(max_size=60)
    | st.text('"\n\r,;\x00ä[]', max_size=60).map(str.encode),
    source=st.sampled_from(Source),
)
def test_any_bytes_are_rows_or_refused(head, rest, source):
    file = BytesIO(head + rest)

    with suppress(UnreadableFile):
        for row in read_rows(file, kind=ImportKind.BALANCES, source=source):
            assert row.is_skipped or row.errors or "amount" in row.values
    assert not file.closed
