"""What texts mean, each with the faults that name them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affiliates.contrib.imports.files import values
from affiliates.contrib.imports.files.columns import COLUMNS
from affiliates.contrib.imports.files.parsing import parse
from affiliates.contrib.imports.files.rows import (
    CouponRow,
    DateOrder,
    DecimalMark,
    Fault,
    ImportKind,
    LinkRow,
    Named,
    NamedBy,
    OrderRow,
    ParseOptions,
    RowError,
    TextRow,
)
from affiliates.contrib.imports.sentences import SENTENCES, sentence_of
from tests.cases import each
from tests.lengths import times

EITHER, POINT, COMMA = DecimalMark.EITHER, DecimalMark.POINT, DecimalMark.COMMA
HASH = "0123456789abcdef0123456789abcdef01234567"
ANNA = Named(NamedBy.CODE, "anna")
CODE = Path(values.__file__).parent


def outcome(read, *args, **options):
    """What it is, or the code of what is wrong with it."""
    try:
        return read(*args, **options)
    except Fault as fault:
        return fault.code


def faults(kind: ImportKind, options: ParseOptions | None = None, **cells: str):
    found = parse(kind, TextRow(5, cells), options or ParseOptions())
    assert isinstance(found, tuple), found
    return [(one.column, one.code) for one in found]


@each(
    ("text", "mark", "number"),
    [
        ("12", EITHER, "12"),
        ("12.5", EITHER, "12.5"),
        ("12,5", EITHER, "12.5"),
        ("-12,50", EITHER, "-12.50"),
        ("\u221212,50", EITHER, "-12.50"),
        ("+3", EITHER, "3"),
        ("0.125", EITHER, "0.125"),
        ("0,125", EITHER, "0.125"),
        ("1234.567", EITHER, "1234.567"),
        ("1,234.50", EITHER, "1234.50"),
        ("1.234,50", EITHER, "1234.50"),
        ("1 234,50", EITHER, "1234.50"),
        ("1\u00a0234\u202f567,5", EITHER, "1234567.5"),
        ("1'234.50", EITHER, "1234.50"),
        ("1\u2019234", EITHER, "1234"),
        ("1,234,567", EITHER, "1234567"),
        ("1.234.567", EITHER, "1234567"),
        ("1.234", EITHER, "unclear_number"),
        ("1,234", EITHER, "unclear_number"),
        ("-999,999", EITHER, "unclear_number"),
        ("1.234", POINT, "1.234"),
        ("1.234", COMMA, "1234"),
        ("1,234", POINT, "1234"),
        ("1,234", COMMA, "1.234"),
        ("12,50", POINT, "not_a_number"),
        ("12.50", COMMA, "not_a_number"),
        ("12,34,567", EITHER, "not_a_number"),
        ("1,23.45", EITHER, "not_a_number"),
        ("1.2.3", EITHER, "not_a_number"),
        ("", EITHER, "not_a_number"),
        ("-", EITHER, "not_a_number"),
        (".5", EITHER, "not_a_number"),
        ("5.", EITHER, "not_a_number"),
        ("EUR 5", EITHER, "not_a_number"),
        ("5€", EITHER, "not_a_number"),
        ("(5)", EITHER, "-5"),
        ("1e3", EITHER, "not_a_number"),
        ("NaN", EITHER, "not_a_number"),
        ("٣", EITHER, "not_a_number"),
        ("9" * 20, EITHER, "not_a_number"),
    ],
)
def test_numbers(text, mark, number):
    found = outcome(values.decimal, text, mark)

    assert found == (number if number.islower() else Decimal(number))


@each(
    ("text", "currency", "units"),
    [
        ("12.50", "EUR", 1250),
        ("-0.01", "eur", -1),
        ("0", "EUR", 0),
        ("12", "JPY", 12),
        ("1.234,500", "KWD", 1_234_500),
        ("12.500", "EUR", "unclear_number"),
        ("12.505", "USD", "unclear_number"),
        ("0.005", "EUR", "too_fine"),
        ("12.5", "JPY", "too_fine"),
        ("92233720368547758.07", "EUR", 2**63 - 1),
        ("92233720368547758.08", "EUR", "too_large_amount"),
        ("12", "EURO", "unknown_currency"),
        ("12", "€", "unknown_currency"),
    ],
)
def test_amounts(text, currency, units):
    def read():
        return values.minor_units(text, EITHER, values.currency(currency))

    assert outcome(read) == units


@each(
    ("text", "percent"),
    [
        ("12.5", Decimal("12.5")),
        ("12,5 %", Decimal("12.5")),
        ("0", Decimal(0)),
        ("100", Decimal(100)),
        ("100.01", "not_a_percentage"),
        ("-1", "not_a_percentage"),
        ("0.0001", "not_a_percentage"),
    ],
)
def test_percentages(text, percent):
    assert outcome(values.percentage, text, EITHER) == percent


BERLIN = ZoneInfo("Europe/Berlin")
UNSURE, DAY, MONTH = DateOrder.UNSURE, DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST


@each(
    ("text", "order", "moment"),
    [
        ("2024-07-01", UNSURE, "2024-06-30 22:00"),
        ("2024-01-01", UNSURE, "2023-12-31 23:00"),
        ("2024-07-01 12:30", UNSURE, "2024-07-01 10:30"),
        ("2024-07-01 12:30:15", UNSURE, "2024-07-01 10:30:15"),
        ("2024-07-01T12:30:15.123456", UNSURE, "2024-07-01 10:30:15"),
        ("2024-07-01T12:30:15.920Z", UNSURE, "2024-07-01 12:30:15"),
        ("2024-07-01 12:30:15 UTC", UNSURE, "2024-07-01 12:30:15"),
        ("2024-07-01T12:30:15-05:30", UNSURE, "2024-07-01 18:00:15"),
        ("2024-07-01 12:30:15 +0200", UNSURE, "2024-07-01 10:30:15"),
        ("31.12.2024", UNSURE, "2024-12-30 23:00"),
        ("3.4.2024 9:05", UNSURE, "2024-04-03 07:05"),
        ("31/12/2024", UNSURE, "2024-12-30 23:00"),
        ("12/31/2024", UNSURE, "2024-12-30 23:00"),
        ("5/5/2024", UNSURE, "2024-05-04 22:00"),
        ("3/4/2024", UNSURE, "unclear_date"),
        ("03-04-2024", UNSURE, "unclear_date"),
        ("3/12/2024", UNSURE, "unclear_date"),
        ("3/4/2024", DAY, "2024-04-02 22:00"),
        ("3/4/2024", MONTH, "2024-03-03 23:00"),
        ("3.4.2024", MONTH, "2024-03-03 23:00"),
        ("2024-07-01", MONTH, "2024-06-30 22:00"),
        ("31/12/2024", MONTH, "not_a_date"),
        ("30.02.2024", UNSURE, "not_a_date"),
        ("2024-13-01", UNSURE, "not_a_date"),
        ("2024-07-01 25:00", UNSURE, "not_a_date"),
        ("2024-07-01 12:30:15 +99:00", UNSURE, "not_a_date"),
        ("31.12.24", UNSURE, "not_a_date"),
        ("0024-12-31", UNSURE, "not_a_date"),
        ("20240701", UNSURE, "not_a_date"),
        ("1719828000", UNSURE, "not_a_date"),
        ("1 July 2024", UNSURE, "not_a_date"),
    ],
)
def test_moments(text, order, moment):
    found = outcome(values.moment, text, order, BERLIN)

    if isinstance(found, datetime):
        assert found.tzinfo is UTC
        found = found.isoformat(" ", "seconds")[:19].removesuffix(":00")
    assert found == moment


@each(
    ("read", "text", "value"),
    [
        (values.email, " Kim+x@Example.co.uk ", "kim+x@example.co.uk"),
        (values.email, "jürgen@müller.de", "jürgen@müller.de"),
        (values.email, "kim", "not_an_email"),
        (values.email, "kim@localhost", "not_an_email"),
        (values.email, "a@b@example.com", "not_an_email"),
        (values.email, "Kim <kim@example.com>", "not_an_email"),
        (values.email, "a@example.com, b@example.com", "not_an_email"),
        (values.email, "kim@example..com", "not_an_email"),
        (values.email, "kim\u200b@example.com", "not_an_email"),
        (values.email, f"{'x' * 250}@example.com", "too_long"),
        (values.code, " Anna-1 ", "anna-1"),
        (values.code, "ab", "not_a_code"),
        (values.code, "-abc", "not_a_code"),
        (values.code, "anna_b", "anna_b"),
        (values.link_hash, HASH.upper(), HASH),
        (values.link_hash, HASH[1:], "not_a_hash"),
        (values.link_hash, f"g{HASH[1:]}", "not_a_hash"),
        (values.url, "https://x.example/a?b=1#c", "https://x.example/a?b=1#c"),
        (values.url, "x.example", "not_a_url"),
        (values.url, "//x.example", "not_a_url"),
        (values.url, "javascript:alert(1)", "not_a_url"),
        (values.url, "https://x.example/\nb", "not_a_url"),
        (values.url, "https://", "not_a_url"),
        (values.url, f"https://x.example/{'a' * 2048}", "too_long"),
        (values.boolean, "Yes", True),
        (values.boolean, "0", False),
        (values.boolean, "maybe", "unknown_word"),
    ],
)
def test_texts(read, text, value):
    assert outcome(read, text) == value


def test_a_text_is_kept_on_one_line():
    assert values.plain_text(" two\n\tlines\u00a0here ", limit=14) == "two lines here"
    assert outcome(values.plain_text, "too long", limit=7) == "too_long"
    assert outcome(values.plain_text, "a\u202eb", limit=7) == "unprintable"


@each(
    ("_case", "kind", "cells", "expected"),
    [
        ("nobody", ImportKind.AFFILIATES, {}, [("email", "one_required")]),
        (
            "every fault at once",
            ImportKind.AFFILIATES,
            {"email": "kim", "code": "a", "status": "gone", "old_id": "1 2"},
            [
                ("email", "not_an_email"),
                ("code", "not_a_code"),
                ("status", "unknown_word"),
                ("old_id", "has_blanks"),
            ],
        ),
        (
            "a link that nothing leads to",
            ImportKind.LINKS,
            {"affiliate_id": "7", "name": "Blog"},
            [("hash", "one_required")],
        ),
        (
            "a balance without its currency and reason",
            ImportKind.BALANCES,
            {"affiliate_code": "anna", "amount": "5"},
            [("currency", "required"), ("reason", "required")],
        ),
        (
            "no date of MySQL's",
            ImportKind.ORDERS,
            {
                "order_ref": "1",
                "client_id": "2",
                "affiliate_code": "anna",
                "placed_at": "0000-00-00 00:00:00",
            },
            [("placed_at", "required")],
        ),
        (
            "an amount without its currency",
            ImportKind.ORDERS,
            {
                "order_ref": "1",
                "client_id": "2",
                "affiliate_code": "anna",
                "placed_at": "2024-01-01",
                "net": "5",
            },
            [("currency", "required")],
        ),
        (
            "an amount with tax alone",
            ImportKind.ORDERS,
            {
                "order_ref": "1",
                "client_id": "2",
                "affiliate_code": "anna",
                "placed_at": "2024-01-01",
                "gross": "5",
                "currency": "EUR",
            },
            [("net", "required")],
        ),
        (
            "less than zero",
            ImportKind.ORDERS,
            {
                "order_ref": "1",
                "client_id": "2",
                "affiliate_code": "anna",
                "placed_at": "2024-01-01",
                "net": "-0.01",
                "currency": "EUR",
            },
            [("net", "below_zero")],
        ),
        (
            "less with tax than without",
            ImportKind.ORDERS,
            {
                "order_ref": "1",
                "client_id": "2",
                "affiliate_code": "anna",
                "placed_at": "2024-01-01",
                "net": "5",
                "gross": "4.99",
                "currency": "EUR",
            },
            [("gross", "gross_below_net")],
        ),
        (
            "a long coupon",
            ImportKind.COUPONS,
            {"code": "ß" * 33, "affiliate_code": "anna"},
            [("code", "too_long")],
        ),
    ],
)
def test_faults(kind, cells, expected):
    assert faults(kind, **cells) == expected


def test_a_wrong_currency_of_the_file_is_named_in_the_row():
    cells = {"affiliate_code": "anna", "amount": "5", "reason": "moved"}

    found = faults(ImportKind.BALANCES, ParseOptions(currency="EURO"), **cells)

    assert found == [("currency", "unknown_currency")]


def test_a_fault_of_reading_is_the_only_one():
    error = RowError(5, "", "too_few_cells", {"found": 1, "wanted": 2})

    found = parse(ImportKind.LINKS, TextRow(5, errors=(error,)), ParseOptions())

    assert found == (error,)


@each(
    ("kind", "cells", "row"),
    [
        (
            ImportKind.LINKS,
            {"affiliate_code": "ANNA", "affiliate_id": "7", "hash": HASH.upper()},
            LinkRow(affiliate=ANNA, name="01234567", hash=HASH),
        ),
        (
            ImportKind.LINKS,
            {
                "affiliate_code": "anna",
                "old_code": "Blog_1",
                "name": "Blog",
                "is_active": "no",
                "target_url": "https://x.example/",
            },
            LinkRow(
                affiliate=ANNA,
                name="Blog",
                old_code="Blog_1",
                is_active=False,
                target_url="https://x.example/",
            ),
        ),
        (
            ImportKind.COUPONS,
            {"code": " save10 ", "affiliate_code": "anna", "percent": "12,5%"},
            CouponRow(code="SAVE10", affiliate=ANNA, percent=Decimal("12.5")),
        ),
        (
            ImportKind.ORDERS,
            {
                "order_ref": "o1",
                "invoice_ref": "i1",
                "client_id": "2",
                "affiliate_code": "anna",
                "placed_at": "2024-01-01",
                "paid_at": "2024-01-02",
                "net": "9,99",
                "gross": "11,89",
            },
            OrderRow(
                order_ref="o1",
                invoice_ref="i1",
                client=Named(NamedBy.ID, "2"),
                affiliate=ANNA,
                placed_at=datetime(2023, 12, 31, 22, tzinfo=UTC),
                paid_at=datetime(2024, 1, 1, 22, tzinfo=UTC),
                net=999,
                gross=1_189,
                currency="EUR",
            ),
        ),
    ],
)
def test_rows(kind, cells, row):
    options = ParseOptions(currency="EUR", zone=timezone(timedelta(hours=2)))

    assert parse(kind, TextRow(5, cells), options) == row


@each(
    ("code", "params", "sentence"),
    [
        (
            "unclear_number",
            {"text": "1.234"},
            "“1.234” could be two numbers: say whether the file's decimal mark is a "
            "point or a comma.",
        ),
        (
            "unknown_word",
            {"text": "100%s", "words": "yes, no"},
            "“100%s” is none of: yes, no.",
        ),
        ("no_headings", {"name": ""}, "The file is empty."),
    ],
)
def test_sentences(code, params, sentence):
    assert sentence_of(code, params) == sentence


def test_every_code_has_a_sentence():
    texts = [path.read_text("utf-8") for path in sorted(CODE.glob("[cprv]*.py"))]
    codes = {
        code
        for text in texts
        for code in re.findall(
            r'(?:[Ff]ault|_add|RowError|UnreadableFile)\([^")]*"([a-z_0-9]+)"', text
        )
    }

    assert len(codes) > 25
    assert codes - SENTENCES.keys() == set()


TEXTS = st.sampled_from(
    ["", "1.234", "12,5", "anna", HASH, "a@b.de", "EUR", "2024-01-01", "https://a.b/"]
) | st.text("a1٣.,-'%@/: \n\x00\u200b\ud800\U0001f600ßİ", max_size=8)


@pytest.mark.parametrize("kind", ImportKind)
@settings(max_examples=times(25, long=2_000), deadline=None)
@given(data=st.data())
def test_any_texts_are_a_row_or_faults_with_sentences(kind, data):
    cells = {column: data.draw(TEXTS) for column in COLUMNS[kind]}
    options = ParseOptions(
        decimal_mark=data.draw(st.sampled_from(DecimalMark)),
        date_order=data.draw(st.sampled_from(DateOrder)),
        currency=data.draw(st.sampled_from(["", "JPY", "x"])),
    )

    found = parse(kind, TextRow(2, cells), options)

    if isinstance(found, tuple):
        assert found
        assert {one.code for one in found} <= SENTENCES.keys()
        assert {one.column for one in found} <= set(COLUMNS[kind])
        assert json.loads(json.dumps([dict(one.params) for one in found]))
        assert all(sentence_of(one.code, one.params) for one in found)
    else:
        assert parse(kind, TextRow(2, cells), options) == found
