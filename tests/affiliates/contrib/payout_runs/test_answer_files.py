"""Strangers' files: within their limits, without entities, known by what they hold."""

from __future__ import annotations

import sys
import zipfile
from io import BytesIO

import pytest

from affiliates.contrib.payout_runs import answer_files, camt
from affiliates.contrib.payout_runs.answer_files import read_answer
from affiliates.contrib.payout_runs.types import Entry, Said
from affiliates.errors import AffiliatesError
from tests.affiliates.payouts.bank import paid, returned, statement

BOMB = """<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"""
FILE = '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
OUTSIDE = '<!DOCTYPE x SYSTEM "https://evil.example/x.dtd">'
HARMLESS = "<!DOCTYPE x>"


def zipped(*files: bytes) -> bytes:
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for number, content in enumerate(files):
            writer.writestr(f"{number}.xml", content)
    return archive.getvalue()


def refusal_of(content: bytes) -> str:
    with pytest.raises(AffiliatesError) as refused:
        read_answer(content)
    return refused.value.code


def csv_of(*lines: str) -> bytes:
    return "\n".join(lines).encode()


@pytest.mark.parametrize("head", [BOMB, FILE, OUTSIDE, HARMLESS])
def test_no_document_type_is_read(head):
    body = statement(paid("&b;" if head == BOMB else "x", 1), head=head)

    assert refusal_of(body) == "unreadable_file"
    assert refusal_of(zipped(body)) == "unreadable_file"


# Named, because the bytes of an archive hold the moment it was made.
@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(content, code, id=case)
        for case, content, code in [
            ("half a file", statement(paid("x", 1))[:200], "unreadable_file"),
            ("other XML", b"<html><body/></html>", "unknown_file"),
            ("a root by itself", b"<BkToCstmrStmt/>", "unknown_file"),
            ("half a JSON", b'{"items": [', "unknown_file"),
            ("other JSON", b'{"a": 1}', "unknown_file"),
            ("JSON of odd items", b'{"items": [1]}', "unknown_file"),
            ("nothing", b"", "missing_column"),
            ("a picture", b"\x89PNG\r\n\x1a\n\x00\x00", "missing_column"),
            ("no archive", b"PK\x03\x04rubbish", "unreadable_file"),
            ("an empty archive", zipped(), "missing_column"),
            (
                "an archive of two senders",
                zipped(statement(), b'{"items": []}'),
                "unknown_file",
            ),
            (
                "an unknown encoding",
                b'<?xml version="1.0" encoding="klingon"?><a/>',
                "unreadable_file",
            ),
        ]
    ],
)
def test_what_is_no_answer_is_refused(content, code):
    assert refusal_of(content) == code


def test_bytes_rows_and_unpacked_size_are_limited(monkeypatch):
    entries = [paid(f"PAYOUT-{number}", 1) for number in range(6)]
    monkeypatch.setattr(answer_files, "MAX_ROWS", 5)
    assert refusal_of(statement(*entries)) == "too_large"
    assert refusal_of(zipped(statement(*entries[:3]), statement(*entries[3:]))) == (
        "too_large"
    )

    monkeypatch.setattr(answer_files, "MAX_MEMBERS", 2)
    assert refusal_of(zipped(*[statement()] * 3)) == "too_large"

    monkeypatch.setattr(answer_files, "MAX_UNPACKED", 10_000)
    assert refusal_of(zipped(b" " * 5_000, b" " * 5_001)) == "too_large"

    monkeypatch.setattr(answer_files, "MAX_BYTES", 100)
    assert refusal_of(b"x" * 101) == "too_large"


@pytest.mark.parametrize("element", ["<a/>", "<TxDtls/>", "<Ntry/>", "<b><c/>"])
def test_more_elements_than_transactions_need_are_refused(element):
    filler = element * 6_000

    assert refusal_of(statement(paid("PAYOUT-1", 1), filler)) == "too_large"


def test_elements_are_limited_for_any_number_of_transactions(monkeypatch):
    monkeypatch.setattr(camt, "MAX_ELEMENTS", 100)

    assert refusal_of(statement(*[paid("PAYOUT-1", 1)] * 20)) == "too_large"


def test_elements_of_all_files_of_an_archive_are_limited(monkeypatch):
    one = statement(paid("PAYOUT-1", 1))
    monkeypatch.setattr(camt, "MAX_ELEMENTS", one.count(b"<"))
    assert answer_files.read_answer(one)[1]

    assert refusal_of(zipped(one, one, one)) == "too_large"


def test_elements_of_many_transactions_are_read():
    extra = "<TxDtls>" + "<a/>" * 150
    booking = paid("PAYOUT-1", 1).replace("<TxDtls>", extra)

    _, entries = read_answer(statement(*[booking] * 200))

    assert len(entries) == 200


def test_long_texts_are_cut():
    _, [entry] = read_answer(
        statement(returned("PAYOUT-1", 1).replace("closed", "closed" * 1_000))
    )

    assert (len(entry.reason), entry.reason[:19]) == (1_000, "AC04 Account closed")


def test_encrypted_archive_is_refused():
    content = bytearray(zipped(statement()))
    content[6] |= 1
    at = content.rindex(b"PK\x01\x02")
    content[at + 8] |= 1

    assert refusal_of(bytes(content)) == "unreadable_file"


def test_archive_of_statements_is_read_as_one():
    kind, entries = read_answer(
        zipped(statement(paid("PAYOUT-1", 100)), statement(paid("PAYOUT-2", 200)))
    )

    assert kind == "bank"
    assert [(one.reference, one.amount) for one in entries] == [
        ("PAYOUT-1", "1.00"),
        ("PAYOUT-2", "2.00"),
    ]


def test_returns_name_their_reason_and_other_peoples_money_is_left_out():
    income = (
        returned("RE-9", 5).replace("<RtrInf>", "<No>").replace("</RtrInf>", "</No>")
    )

    _, entries = read_answer(statement(returned("PAYOUT-1", 100), income))

    assert entries == [
        Entry(
            said=Said.RETURNED,
            reference="PAYOUT-1",
            amount="1.00",
            currency="EUR",
            reason="AC04 Account closed",
        )
    ]


def test_one_booking_of_many_transfers_is_many_entries():
    one, two, no_amount = (
        f"<TxDtls><Refs><EndToEndId>PAYOUT-{number}</EndToEndId></Refs>{amount}</TxDtls>"
        for number, amount in (
            (1, '<Amt Ccy="EUR">1.00</Amt>'),
            (2, '<Amt Ccy="EUR">2.00</Amt>'),
            (3, ""),
        )
    )
    booking = (
        '<Ntry><Amt Ccy="EUR">6.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>'
        f"<NtryDtls>{one}{two}{no_amount}</NtryDtls></Ntry>"
    )

    _, entries = read_answer(statement(booking))

    assert [(entry.reference, entry.amount, entry.said) for entry in entries] == [
        ("PAYOUT-1", "1.00", "paid"),
        ("PAYOUT-2", "2.00", "paid"),
        # The booking's amount is that of all three.
        ("PAYOUT-3", "", "paid"),
    ]


@pytest.mark.parametrize(
    ("delimiter", "amount", "plain"),
    [
        (",", '"1,234.50"', "1234.50"),
        (";", "12,50", "12.50"),
        ("\t", "-12.50", "12.50"),
        (",", "12", "12"),
        (",", "a lot", "a lot"),
    ],
)
def test_reports_columns_are_known_by_their_headings(delimiter, amount, plain):
    head = ["Transaction ID", "Status", "Unique ID", "Gross", "Currency"]
    row = ["TX1", "Completed", "PAYOUT-1", amount, "eur"]

    kind, entries = read_answer(csv_of(delimiter.join(head), delimiter.join(row), ""))

    assert kind == "paypal"
    assert entries == [
        Entry(
            said=Said.PAID,
            reference="PAYOUT-1",
            amount=plain,
            currency="EUR",
            remote_ref="TX1",
        )
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_reports_are_read_in_the_encodings_of_spreadsheets(encoding):
    text = "Unique ID,Amount,Currency,Status,Reason\nPAYOUT-1,1,EUR,FAILED,Ungültig\n"

    _, [entry] = read_answer(text.encode(encoding))

    assert (entry.said, entry.reason) == ("failed", "FAILED Ungültig")


def test_bank_files_without_their_extra_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "defusedxml.ElementTree", None)

    assert refusal_of(statement(paid("x", 1))) == "no_payout_files"
