"""The payment details that a conversion names."""

from __future__ import annotations

import pytest

from affiliates.referrals.models import OrderReferral
from tests.affiliates.api.calls import convert, refusal
from tests.cases import each
from tests.database import nothing_written

ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


@each(
    ("_case", "value", "code"),
    [
        ("empty", "", "invalid"),
        ("zero", 0, "min_value"),
        ("negative", -1, "min_value"),
        ("one above the largest", 2**63, "max_value"),
        ("beyond 64 bits", 2**64, "invalid"),
        ("huge", 10**30, "invalid"),
        ("huge negative", -(10**30), "invalid"),
        ("fraction", 1.5, "invalid"),
        ("true", True, "invalid"),
        ("false", False, "invalid"),
        ("word", "first", "invalid"),
        ("5,000 digits as text", "1" * 5000, "max_string_length"),
        ("list", [1], "invalid"),
        ("object", {"id": 1}, "invalid"),
    ],
)
def test_payment_details_id_must_be_a_positive_integer(as_buyer, order, value, code):
    with nothing_written():
        answer = convert(as_buyer, order, payment_details_id=value)

    status, actual, field = refusal(answer)
    assert (status, field) == (400, "payment_details_id")
    assert actual in {code, "invalid"}


@pytest.mark.parametrize(
    ("_case", "write"),
    [
        ("text", str),
        ("fraction as text", lambda number: f"{number}.0"),
        ("spaced text", lambda number: f" {number} "),
        ("another alphabet", lambda number: str(number).translate(ARABIC)),
    ],
)
def test_payment_details_id_is_no_text(as_buyer, order, details, _case, write):
    with nothing_written():
        answer = convert(as_buyer, order, payment_details_id=write(details))

    assert refusal(answer) == (400, "invalid", "payment_details_id")


@pytest.mark.parametrize(
    ("_case", "body"),
    [
        ("nothing is sent", {}),
        ("null", {"payment_details_id": None}),
        ("another field", {"gateway_id": 1}),
    ],
)
def test_payment_details_may_be_left_out(as_buyer, order, _case, body):
    answer = convert(as_buyer, order, **body)

    assert answer.status_code == 200, answer.content
    assert OrderReferral.objects.get().invoice_ref == answer.json()["data"]["id"]
