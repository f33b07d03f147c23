"""What counts as an Idempotency-Key, and which requests are the same."""

from __future__ import annotations

import pytest

from affiliates.api.idempotency.rules import parse_key
from affiliates.api.idempotency.types import KeyedRequest
from affiliates.errors import InvalidInput
from tests.cases import each

UUID = "8e03978e-40d5-43e8-bc93-6894a57f9324"


def keyed(**changed):
    request = {
        "key": UUID,
        "brand_id": 1,
        "endpoint": "register",
        "caller_id": "7",
        "method": "POST",
        "address": "/api/clients/register",
        "body": {"email": "ada@example.org", "firstname": "Ada"},
        "credentials": "Bearer one",
    }
    return KeyedRequest(**{**request, **changed})


@each(
    ("header", "key"),
    [
        (f'"{UUID}"', UUID),
        (UUID, UUID),
        (f' "{UUID}" ', UUID),
        ('"a b"', "a b"),
        (r'"a\"b\\c"', r"a\"b\c".replace(r"\"", '"')),
        ("a", "a"),
        ("order:17/2026=x", "order:17/2026=x"),
        (f'"{"k" * 255}"', "k" * 255),
        ("k" * 255, "k" * 255),
    ],
)
def test_key_in_its_header(header, key):
    assert parse_key(header, is_anonymous=False) == key


@each(
    "header",
    [
        "",
        " ",
        '""',
        '"open',
        'open"',
        '"a", "b"',
        "a,b",
        "a b",
        '"a";b=1',
        '"a\tb"',
        r'"a\b"',
        '"schlüssel"',
        "schlüssel",
        "k" * 256,
        f'"{"k" * 256}"',
    ],
)
def test_header_that_holds_no_key(header):
    with pytest.raises(InvalidInput) as refused:
        parse_key(header, is_anonymous=False)

    assert refused.value.code == "idempotency_key_invalid"
    assert refused.value.field is None


def test_anonymous_key_is_too_long_to_be_guessed():
    assert parse_key("k" * 16, is_anonymous=True) == "k" * 16

    with pytest.raises(InvalidInput) as refused:
        parse_key("k" * 15, is_anonymous=True)

    assert refused.value.detail == (
        "Idempotency-Key: Without credentials it has at least 16 characters: send a "
        "random one, such as a UUID."
    )


@each(
    ("changed", "is_same_scope", "is_same_request"),
    [
        ({}, True, True),
        ({"body": {"firstname": "Ada", "email": "ada@example.org"}}, True, True),
        ({"credentials": "Bearer two"}, True, True),
        ({"body": {"email": "ada@example.org"}}, True, False),
        ({"body": ["email", "ada@example.org"]}, True, False),
        ({"method": "PATCH"}, True, False),
        ({"address": "/api/clients/register?a=1"}, True, False),
        ({"key": UUID.upper()}, False, True),
        ({"brand_id": 2}, False, True),
        ({"brand_id": None}, False, True),
        ({"endpoint": "guest"}, False, True),
        ({"caller_id": ""}, False, True),
    ],
)
def test_which_requests_are_the_same(changed, is_same_scope, is_same_request):
    first, second = keyed(), keyed(**changed)

    assert (first.scope == second.scope) is is_same_scope
    assert (first.fingerprint == second.fingerprint) is is_same_request


def test_nothing_secret_is_shown():
    shown = repr(keyed(body={"password": "correct horse"}, credentials="Bearer two"))

    assert "correct horse" not in shown
    assert "Bearer" not in shown
