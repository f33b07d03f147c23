"""Files for imports as the field sends them: values, codes and forms of files."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZipFile

import pytest

from affiliates.contrib.imports.files.parsing import parse
from affiliates.contrib.imports.files.reading import read_rows
from affiliates.contrib.imports.files.rows import (
    ImportKind,
    ParseOptions,
    Source,
    UnreadableFile,
)
from affiliates.contrib.imports.sentences import sentence_of
from tests.cases import each
from tests.field.files import field_file

KINDS = {
    "balance_de.csv": ImportKind.BALANCES,
    "bool.csv": ImportKind.LINKS,
    "dates.csv": ImportKind.ORDERS,
    "names.csv": ImportKind.AFFILIATES,
    "null_words.csv": ImportKind.AFFILIATES,
}


def outcomes(content: bytes, kind: ImportKind, column: str) -> list[object]:
    """Of each row the value, or the code of its fault."""
    rows = [
        parse(kind, row, ParseOptions())
        for row in read_rows(BytesIO(content), kind=kind)
    ]
    return [
        row[0].code if isinstance(row, tuple) else getattr(row, column) for row in rows
    ]


def refusal_of(content: bytes, kind: ImportKind = ImportKind.BALANCES) -> str:
    with pytest.raises(UnreadableFile) as refused:
        list(read_rows(BytesIO(content), kind=kind, source=Source.OWN))
    error = refused.value.error
    return sentence_of(error.code, error.params)


def at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 10, 25, hour, minute, second, tzinfo=UTC)


@each(
    ("name", "column", "values"),
    [
        (
            *("balance_de.csv", "amount"),
            [
                *("unclear_number", "unknown_currency", 1250),
                *("unclear_number", 100, "too_fine", "unclear_number"),
            ],
        ),
        ("bool.csv", "is_active", [True] * 5),
        (
            *("dates.csv", "placed_at"),
            [
                *(at(2, 30), datetime(2026, 3, 29, 2, 30, tzinfo=UTC), at(2, 30)),
                *(at(0, 30), "not_a_date", at(13, 5), "not_a_date", "not_a_date"),
                *("not_a_date", "not_a_date", "not_a_date"),
                *(at(13, 5, 7), at(13, 5, 7), at(11, 5, 7), "not_a_date"),
                *("not_a_date", at(11, 5, 7), "not_a_date", "not_a_date"),
                *("not_a_date", "not_a_date", "required", "not_a_date"),
                *("required", "required", at(13, 5, 7), "not_a_date"),
            ],
        ),
        (
            *("names.csv", "code"),
            [
                *("obrien", "mueller", "anna2", "anna3", "anna4"),
                *("not_an_email", "not_an_email", "not_an_email"),
            ],
        ),
        ("null_words.csv", "code", ["", ""]),
    ],
)
def test_file_of_the_field(name, column, values):
    content = field_file(f"imports/{name}")

    assert outcomes(content, KINDS[name], column) == values


ORDERS = "order_ref,client_id,affiliate_id,placed_at\n1,1,1,"


@each(
    ("text", "moment"),
    [
        ("2026-10-25 13:05:07+02", at(11, 5, 7)),
        ("2026-10-25 13:05:07.123456+02", at(11, 5, 7)),
        ("2026-10-25 13:05:07-0330", at(16, 35, 7)),
        ("2026-10-25 13:05:07-03:30", at(16, 35, 7)),
        ("2026-10-25 13:05:07+00", at(13, 5, 7)),
        ("2026-10-25 13:05:07+2", "not_a_date"),
        ("2026-10-25 13:05:07+25", "not_a_date"),
        ("\\N", "required"),
        ("NULL", "required"),
        ("null", "required"),
    ],
)
def test_moments_of_databases(text, moment):
    content = f'{ORDERS}"{text}"'.encode()

    assert outcomes(content, ImportKind.ORDERS, "placed_at") == [moment]


YES = ["WAHR", "Wahr", "Ja", "J", "t", "TRUE", "on", "Enabled", "Aktiv", "1"]
NO = ["FALSCH", "Nein", "N", "f", "False", "off", "disabled", "inaktiv", "0"]


@each(
    ("text", "value"),
    [
        *((text, True) for text in YES),
        *((text, False) for text in NO),
        ("NULL", True),
        ("vielleicht", "unknown_word"),
        ("2", "unknown_word"),
    ],
)
def test_yes_and_no_of_people_spreadsheets_and_databases(text, value):
    content = f"affiliate_id,old_code,is_active\n1,x,{text}".encode()

    assert outcomes(content, ImportKind.LINKS, "is_active") == [value]


@each(
    ("text", "code"),
    [
        ("anna.b", "anna.b"),
        ("John_Doe", "john_doe"),
        ("_anna_", "_anna_"),
        ("a.b", "a.b"),
        ("NULL", ""),
        ("\\N", ""),
        ("Null", ""),
        ("None", "reserved_code"),
        ("undefined", "reserved_code"),
        ("NaN", "reserved_code"),
        ("TRUE", "reserved_code"),
        ("false", "reserved_code"),
        ("nil", "reserved_code"),
        ("nullify", "nullify"),
        ("anna.", "not_a_code"),
        (".anna", "not_a_code"),
        ("anna-", "not_a_code"),
        ("a b", "not_a_code"),
        ("anna/b", "not_a_code"),
        ("ab", "not_a_code"),
    ],
)
def test_codes_of_other_systems(text, code):
    content = f"email,code\na@example.com,{text}".encode()

    assert outcomes(content, ImportKind.AFFILIATES, "code") == [code]


def workbook() -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    return file.getvalue()


HEAD = "affiliate_id;amount;currency;reason"
ROW = "17;12,50;EUR;x"


@each(
    ("_case", "content", "sentence"),
    [
        ("xlsx", workbook(), "This is a workbook (.xlsx, .xls or .ods)"),
        ("xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "This is a workbook"),
        ("page", b"<!DOCTYPE html><html></html>", "This is a web page (HTML)"),
        ("table", b"\xef\xbb\xbf\r\n <table><tr><td>17", "This is a web page (HTML)"),
        ("PDF", b"%PDF-1.7\n", "This is a PDF"),
        ("title", f"Balances\n{HEAD}\n{ROW}", "The headings are in row 2:"),
        (
            "title, date and a blank row",
            f"Balances of all\nas of;31.12.2025\n\n{HEAD}\n{ROW}",
            "The headings are in row 4:",
        ),
        (
            "title of many columns",
            f"Our program;;;\n{HEAD}\n{ROW}",
            "The headings are in row 2:",
        ),
        ("no headings at all", f"{ROW}\n{ROW}", "There is no column 17."),
        (
            "headings too far below",
            "\n".join([*["x"] * 40, HEAD, ROW]),
            "There is no column x.",
        ),
    ],
)
def test_file_that_is_no_plain_table_is_named_in_words(content, sentence):
    content = content.encode() if isinstance(content, str) else content

    assert refusal_of(content).startswith(sentence)


@each(
    ("text", "units"),
    [
        ("1.234,50", 123_450),
        ("1'234.50", 123_450),
        ("1\u2019234.50", 123_450),
        ("1\u00a0234,50", 123_450),
        ("\u221212.50", -1_250),
        ("\u201312,50", -1_250),
        ("(12,50)", -1_250),
        ("12,50-", -1_250),
        ("- 12.50", -1_250),
        ("(-12,50)", "not_a_number"),
        ("(12,50", "not_a_number"),
        ("--12", "not_a_number"),
        ("12,50 EUR", "not_a_number"),
        ("1,23,456", "not_a_number"),
        ("\\N", "required"),
    ],
)
def test_amounts(text, units):
    content = f'{HEAD}\n17;"{text}";EUR;x'.encode()

    assert outcomes(content, ImportKind.BALANCES, "amount") == [units]
