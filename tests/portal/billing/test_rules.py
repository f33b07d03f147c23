from __future__ import annotations

import json
from uuid import UUID

import pytest
from moneyed import Money, get_currency

from affiliates.errors import InvalidInput
from portal.billing.rules import (
    NoticeType,
    PaymentNotice,
    check_payment,
    check_refund,
    format_invoice_number,
    read_notice,
)
from tests.cases import each

INVOICE_ID = "0197c0de-0000-7000-8000-000000000001"
DATA = {
    "invoice_id": INVOICE_ID,
    "reference": "pay_1",
    "amount": "10.71",
    "currency": "EUR",
}


def notice(kind: str = "payment.succeeded", **change: object) -> str:
    return json.dumps({"type": kind, "data": {**DATA, **change}})


@pytest.mark.parametrize(
    ("sequence", "number"),
    [(1, "INV-000001"), (999_999, "INV-999999"), (1_000_000, "INV-1000000")],
)
def test_invoice_number(sequence, number):
    assert format_invoice_number(sequence) == number


def test_exact_amount_is_a_payment():
    check_payment(amount=Money("10.71", "EUR"), due=Money("10.710", "EUR"))


@pytest.mark.parametrize(
    ("_case", "amount", "code"),
    [
        ("less", Money("10.70", "EUR"), "amount_mismatch"),
        ("more", Money("10.72", "EUR"), "amount_mismatch"),
        ("another currency", Money("10.71", "USD"), "currency_mismatch"),
    ],
)
def test_any_other_amount_is_not(_case, amount, code):
    with pytest.raises(InvalidInput) as refusal:
        check_payment(amount=amount, due=Money("10.71", "EUR"))

    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("_case", "amount", "refunded"),
    [
        ("all", "10.00", "0"),
        ("a part", "0.01", "0"),
        ("the rest", "4.00", "6.00"),
    ],
)
def test_may_go_back(_case, amount, refunded):
    check_refund(
        amount=Money(amount, "EUR"),
        paid=Money("10.00", "EUR"),
        refunded=Money(refunded, "EUR"),
    )


@pytest.mark.parametrize(
    ("_case", "amount", "refunded", "code"),
    [
        ("too much", Money("10.01", "EUR"), "0", "refund_exceeds_payment"),
        ("too much together", Money("4.01", "EUR"), "6", "refund_exceeds_payment"),
        ("nothing", Money("0", "EUR"), "0", "invalid"),
        ("negative", Money("-1", "EUR"), "0", "invalid"),
        ("less than a cent", Money("0.001", "EUR"), "0", "invalid"),
        ("another currency", Money("1", "USD"), "0", "currency_mismatch"),
    ],
)
def test_may_not_go_back(_case, amount, refunded, code):
    with pytest.raises(InvalidInput) as refusal:
        check_refund(
            amount=amount, paid=Money("10.00", "EUR"), refunded=Money(refunded, "EUR")
        )

    assert refusal.value.code == code


@pytest.mark.parametrize("kind", list(NoticeType))
def test_notice_is_read(kind):
    assert read_notice(notice(kind)) == PaymentNotice(
        type=kind,
        invoice_id=UUID(INVOICE_ID),
        reference="pay_1",
        amount=Money("10.71", get_currency("EUR")),
    )


@pytest.mark.parametrize(
    "body", ['{"type": "customer.created"}', notice("invoice.made")]
)
def test_other_types_are_not_followed(body):
    assert read_notice(body) is None


@each(
    ("_case", "body"),
    [
        ("no JSON", "{"),
        ("nothing", ""),
        ("deep nesting", "[" * 60_000),
        ("deep object", '{"a":' * 10_000),
        ("a list", "[]"),
        ("no type", "{}"),
        ("type of the wrong type", '{"type": ["payment.succeeded"]}'),
        ("no data", '{"type": "payment.succeeded"}'),
        ("data of the wrong type", '{"type": "payment.succeeded", "data": []}'),
        ("no invoice", notice(invoice_id=None)),
        ("no such id", notice(invoice_id="INV-000001")),
        ("id of the wrong type", notice(invoice_id=7)),
        ("no reference", notice(reference="")),
        ("long reference", notice(reference="x" * 101)),
        ("reference of the wrong type", notice(reference=1)),
        ("control character", notice(reference="pay\0")),
        ("lone surrogate", notice(reference="pay\ud800")),
        ("amount as a number", notice(amount=10.71)),
        ("no amount", notice(amount="")),
        ("amount in words", notice(amount="ten")),
        ("NaN", notice(amount="NaN")),
        ("signalling NaN", notice(amount="sNaN")),
        ("infinity", notice(amount="Infinity")),
        ("negative", notice(amount="-10.71")),
        ("long amount", notice(amount="1" * 21)),
        ("beyond the database", notice(amount="1e999999999999")),
        ("more digits than the column", notice(amount="1234567890123.1234")),
        ("unknown currency", notice(currency="EURO")),
        ("currency of the wrong type", notice(currency=978)),
    ],
)
def test_malformed_notice_is_refused(body):
    with pytest.raises(InvalidInput) as refusal:
        read_notice(body)

    assert refusal.value.code == "malformed_event"
