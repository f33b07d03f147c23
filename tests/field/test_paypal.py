"""PayPal's reports as the field sends them, English and German, with their numbers."""

from __future__ import annotations

import pytest

from affiliates.contrib.payout_runs.answer_files import read_answer
from affiliates.contrib.payout_runs.types import CHARGED, UNMARKED
from affiliates.errors import InvalidInput
from tests.cases import each
from tests.field.files import field_file


def read(content: bytes | str) -> list[tuple[str, str, str, str]]:
    content = content.encode() if isinstance(content, str) else content
    _, entries = read_answer(content)
    return [(row.said, row.reference, row.amount, row.currency) for row in entries]


def reasons(content: str) -> list[tuple[str, str]]:
    _, entries = read_answer(content.encode())
    return [(row.said, row.reason) for row in entries]


ONE = "PAYOUT-1"
FILES = {
    "api_batch.json": [
        ("paid", "PAYOUT-1", "12.50", "EUR"),
        ("waiting", "PAYOUT-2", "12.50", "EUR"),
        ("returned", "PAYOUT-3", "12.50", "EUR"),
    ],
    "both_returned_after.csv": [
        ("paid", ONE, "12.50", "EUR"),
        ("returned", ONE, "12.50", "EUR"),
    ],
    "ch_numbers.csv": [("paid", ONE, "1234.50", "CHF")],
    "de_activity.csv": [("paid", ONE, "1234.50", "EUR")],
    "de_numbers_small.csv": [("paid", ONE, "12.50", "EUR")],
    "en_activity.csv": [("paid", ONE, "1234.50", "EUR")],
    "header_spaces.csv": [("paid", ONE, "12.50", "EUR")],
    "sep_line.csv": [("paid", ONE, "12.50", "EUR")],
    "status_text.csv": [
        (said, f"PAYOUT-{number}", "12.50", "EUR")
        for number, said in enumerate(
            [
                *("waiting", "waiting", "returned", "returned", "waiting"),
                *("failed", "failed", "failed", "failed", "waiting"),
            ],
            start=1,
        )
    ],
    "unicode_minus.csv": [("paid", ONE, "12.50", "EUR")],
}


@pytest.mark.parametrize("name", FILES)
def test_file_of_the_field(name):
    assert read(field_file(f"paypal/{name}"))[:10] == FILES[name]


@each(
    ("text", "currency", "amount"),
    [
        ("12.50", "EUR", "12.50"),
        ("12,50", "EUR", "12.50"),
        ("1.234,50", "EUR", "1234.50"),
        ("1,234.50", "EUR", "1234.50"),
        ("1'234.50", "CHF", "1234.50"),
        ("1’234.50", "CHF", "1234.50"),
        ("1 234,50", "EUR", "1234.50"),
        ("1\u00a0234,50", "EUR", "1234.50"),
        ("1\u202f234,50", "EUR", "1234.50"),
        ("1.234", "EUR", "1234"),
        ("1,234", "USD", "1234"),
        ("1,234", "JPY", "1234"),
        ("1.234.567,80", "EUR", "1234567.80"),
        ("-12,50", "EUR", "12.50"),
        ("\u221212.50", "EUR", "12.50"),
        ("\u20131.234,50", "EUR", "1234.50"),
        ("(12.50)", "EUR", "12.50"),
        ("(1.234,50)", "EUR", "1234.50"),
        ("12,50-", "EUR", "12.50"),
        ("+12.50", "EUR", "12.50"),
        (" 12.50 ", "EUR", "12.50"),
        ("\u200e-12.50\u200e", "EUR", "12.50"),
        # What is no amount matches no payout.
        ("1.234", "KWD", "1.234"),
        ("1,23,456.00", "EUR", "1,23,456.00"),
        ("12.50 EUR", "EUR", "12.50 EUR"),
        ("(-12.50)", "EUR", "(-12.50)"),
        ("", "EUR", ""),
        ("1e3", "EUR", "1e3"),
    ],
)
def test_amounts(text, currency, amount):
    content = f'Unique ID;Amount;Currency;Status\n{ONE};"{text}";{currency};Completed'

    assert read(content) == [("paid", ONE, amount, currency)]


@each(
    ("said", "words"),
    [
        ("paid", ["Completed", "SUCCESS", "Abgeschlossen", "abgeschlossen "]),
        (
            "failed",
            [
                *("Failed", "Blocked", "Denied", "Refused", "Canceled", "Cancelled"),
                *("Abgelehnt", "Fehlgeschlagen", "Storniert", "Expired"),
            ],
        ),
        (
            "returned",
            [
                *("Returned", "Refunded", "Reversed", "Zurückgegeben"),
                *("Zurückgezahlt", "Rückerstattet", "Rückgängig gemacht"),
            ],
        ),
        (
            "waiting",
            [
                *(
                    "Pending",
                    "On Hold",
                    "on-hold",
                    "ON_HOLD",
                    "Unclaimed",
                    "Processing",
                ),
                *("Processed", "Under review", "New", "Ausstehend", "Offen"),
                *("In Bearbeitung", "Einbehalten", "Nicht abgeholt", "Wird geprüft"),
            ],
        ),
        ("unclear", ["Something", "Partially refunded", "", "Vielleicht"]),
    ],
)
def test_statuses(said, words):
    rows = "\n".join(f"{ONE},12.50,EUR,{word}" for word in words)

    found = read(f"Unique ID,Amount,Currency,Status\n{rows}")

    assert found == [(said, ONE, "12.50", "EUR")] * len(words)


HEAD = "Datum;Typ;Status;Währung;Brutto;Eindeutige ID"
LISTED = "Type,Status,Currency,Amount,Unique ID"


@each(
    ("_case", "content", "entries"),
    [
        (
            "return, English",
            f"{LISTED}\nMass Pay Sent,Completed,EUR,-12.50,{ONE}\n"
            f"Mass Pay Reversal,Completed,EUR,12.50,{ONE}",
            [("paid", ""), ("returned", "Mass Pay Reversal")],
        ),
        (
            "return, German",
            f"{HEAD}\n;Rückbuchung Massenzahlung;Abgeschlossen;EUR;12,50;{ONE}",
            [("returned", "Rückbuchung Massenzahlung")],
        ),
        (
            "return by PayPal's code",
            f"Transaction Event Code,{LISTED}\nT1114,,Completed,EUR,12.50,{ONE}",
            [("returned", "T1114")],
        ),
        (
            "refund alone in a report of payments",
            f"{LISTED}\nPayout Refund,Completed,EUR,12.50,{ONE}",
            [("returned", "Payout Refund")],
        ),
        (
            "no mark in a report of activities",
            f"{HEAD}\n;Massenzahlung;Abgeschlossen;EUR;12,50;{ONE}",
            [("unclear", UNMARKED)],
        ),
        (
            "no mark beside a debit",
            f"Unique ID,Amount,Currency,Status\n{ONE},-12.50,EUR,Completed\n"
            f"{ONE},12.50,EUR,Completed",
            [("paid", ""), ("unclear", UNMARKED)],
        ),
        (
            "no mark, and nothing says that it was a payment",
            f"{LISTED}\nGeneral credit,Completed,EUR,12.50,{ONE}",
            [("unclear", UNMARKED)],
        ),
        (
            "payments without signs",
            f"{LISTED}\nMass Pay Sent,Completed,EUR,12.50,{ONE}",
            [("paid", "")],
        ),
        (
            "return that was charged",
            f"{LISTED}\nMass Pay Reversal,Completed,EUR,-12.50,{ONE}",
            [("unclear", f"{CHARGED} Mass Pay Reversal")],
        ),
        (
            "return that failed",
            f"{LISTED}\nMass Pay Reversal,Canceled,EUR,12.50,{ONE}\n"
            f"Mass Pay Sent,Completed,EUR,-12.50,{ONE}",
            [("unclear", "CANCELED"), ("paid", "")],
        ),
        (
            "return that waits",
            f"{LISTED}\nMass Pay Reversal,Pending,EUR,12.50,{ONE}",
            [("waiting", "PENDING")],
        ),
        (
            "status of a return on the payment itself",
            f"{LISTED}\nMass Pay Sent,Returned,EUR,-12.50,{ONE}",
            [("returned", "RETURNED")],
        ),
        (
            "impact on the balance",
            f"Balance Impact,{LISTED}\nCredit,Mass Pay,Completed,EUR,12.50,{ONE}\n"
            f"Debit,Mass Pay,Completed,EUR,12.50,{ONE}",
            [("unclear", UNMARKED), ("paid", "")],
        ),
        (
            "impact on the balance, German",
            f"Auswirkung auf Guthaben;{HEAD}\n"
            f"Haben;;Storno;Abgeschlossen;EUR;12,50;{ONE}",
            [("returned", "Storno")],
        ),
    ],
)
def test_money_that_came_is_no_payment(content, entries):
    assert reasons(content) == entries


@each(
    ("_case", "content"),
    [
        ("CR", f"Unique ID,Amount,Currency,Status\r{ONE},12.50,EUR,Completed\r"),
        ("CRLF", f"Unique ID,Amount,Currency,Status\r\n{ONE},12.50,EUR,Completed\r\n"),
        ("sep", f"sep=,\nUnique ID,Amount,Currency,Status\n{ONE},12.50,EUR,Completed"),
        (
            "SEP, CR",
            f"SEP=;\rUnique ID;Amount;Currency;Status\r{ONE};12,50;EUR;Completed",
        ),
        ("bar", f"Unique ID|Amount|Currency|Status\n{ONE}|12,50|EUR|Completed"),
        ("tab", f"Unique ID\tAmount\tCurrency\tStatus\n{ONE}\t12,50\tEUR\tCompleted"),
        (
            "blanks and quotes",
            f'"Unique ID", "Amount", "Currency", "Status"\n"{ONE}", "12.50", "EUR", '
            '"Completed"',
        ),
        (
            "headings of mixed form",
            f"unique_id;AMOUNT; currency ;Status\n{ONE};12,50;eur;completed",
        ),
        (
            "German headings, all in small letters",
            f"eindeutige id;betrag;währung;status\n{ONE};12,50;EUR;abgeschlossen",
        ),
        (
            "our number in a column of the payer's own",
            "Unique ID,Custom Number,Gross,Currency,Status\n"
            f"9XY,{ONE},-12.50,EUR,Completed",
        ),
        (
            "an empty line at the end",
            f"Unique ID,Amount,Currency,Status\n{ONE},12.50,EUR,Completed\n,,,\n\n",
        ),
    ],
)
def test_forms_of_tables(content):
    assert read(content) == [("paid", ONE, "12.50", "EUR")]


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings(encoding):
    content = f"{HEAD}\n;Massenzahlung;Abgeschlossen;EUR;-12,50;{ONE}"

    assert read(content.encode(encoding)) == [("paid", ONE, "12.50", "EUR")]


@each(
    ("content", "code", "sentence"),
    [
        (
            b"Datum;Name\n1;2",
            "missing_column",
            "The report has no column sender item id",
        ),
        (
            b"Unique ID,Amount,Currency\nPAYOUT-1,1,EUR",
            *("missing_column", "The report has no column transaction status or"),
        ),
        (
            b'Unique ID,Amount,Currency,Status\n"x',
            "unreadable_file",
            "The file is no CSV.",
        ),
        (b"<!DOCTYPE html><html></html>", "unknown_file", "This is a web page"),
    ],
)
def test_what_is_no_report_is_refused(content, code, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        read_answer(content)

    assert refused.value.code == code
