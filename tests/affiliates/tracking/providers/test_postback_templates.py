"""Templates: what may be written in one, and the request it becomes."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affiliates.tracking.providers.templates import (
    Macros,
    TemplateFault,
    parse_template,
    render,
)
from tests.cases import each

MACROS = Macros(
    facts=frozenset({"visitor_id", "amount"}), settings=frozenset({"account"})
)


def rendered(text, *, secret="", **values):
    return render(
        parse_template(text, MACROS),
        address="https://track.example/base",
        values=values,
        secret=secret,
        basic_user=values.get("account", ""),
    )


def test_path_and_query_follow_the_address():
    call = rendered("/pb?id={visitor_id}&sum={amount}", visitor_id="v1", amount="9.90")

    assert call.method == "GET"
    assert call.url == "https://track.example/base/pb?id=v1&sum=9.90"
    assert call.headers == ()
    assert call.body == b""
    assert call.secrets == ()


def test_values_are_percent_encoded():
    call = rendered("/a/{account}?id={visitor_id}", account="x/y", visitor_id="a&b=č #")

    assert call.url == "https://track.example/base/a/x%2Fy?id=a%26b%3D%C4%8D%20%23"


def test_value_is_never_read_as_a_macro():
    call = rendered("/pb?id={visitor_id}", visitor_id="{secret}", secret="hush")

    assert call.url == "https://track.example/base/pb?id=%7Bsecret%7D"


def test_pair_whose_macros_are_all_empty_is_left_out():
    call = rendered("/pb?id={visitor_id}&p={amount}:{account}&q={amount}&t=1")

    assert call.url == "https://track.example/base/pb?t=1"


def test_pair_with_one_empty_macro_of_two_stays():
    call = rendered("/pb?p={account}:{amount}", account="DEFAULT")

    assert call.url == "https://track.example/base/pb?p=DEFAULT:"


def test_method_headers_and_form_are_written_below_each_other():
    call = rendered(
        "POST /c\nAuthorization: Bearer {secret}\r\nX-Account: {account}\n\n"
        "id={visitor_id}\n&sum={amount}",
        visitor_id="a b",
        account="acc",
        secret="hush",
    )

    assert call.method == "POST"
    assert call.url == "https://track.example/base/c"
    assert call.headers == (
        ("Authorization", "Bearer hush"),
        ("X-Account", "acc"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    )
    assert call.body == b"id=a%20b"


def test_basic_authentication_is_account_and_secret():
    call = rendered(
        "/c\nAuthorization: Basic {basic}", account="Aladdin", secret="open sesame"
    )

    assert call.headers == (("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),)


def test_secret_is_named_in_every_form_it_is_sent_in():
    call = rendered("/c?token={secret}", secret="p&ss", account="me")

    assert call.url == "https://track.example/base/c?token=p%26ss"
    assert call.secrets == ("p&ss", "p%26ss", "bWU6cCZzcw==")
    assert "p&ss" not in repr(call)


def test_header_never_takes_a_line_break():
    template = parse_template("/c\nX-Key: {secret}", MACROS)

    with pytest.raises(TemplateFault, match="no header can"):
        render(template, address="https://t.example", values={}, secret="a\r\nHost: b")


@each(
    ("_case", "text", "message"),
    [
        ("empty", "", "path that begins with one /"),
        ("whole address", "https://evil.example/pb", "path that begins with one /"),
        ("other host", "//evil.example/pb", "path that begins with one /"),
        ("no slash, joins the host", ".evil.example/pb", "begins with one /"),
        ("user name trick", "@evil.example/", "begins with one /"),
        ("unknown method", "TRACE /pb", "Begin with / or with one of"),
        ("fragment", "/pb#x", "Remove blanks"),
        ("backslash", "/\\evil.example", "Remove blanks"),
        ("blank in the query", "GET /pb?a=b c", "Remove blanks"),
        ("letters beyond ASCII", "/pb?a=č", "Remove blanks"),
        ("unknown macro", "/pb?x={vistor_id}", r"\{vistor_id\} cannot be used"),
        ("unknown macro in capitals", "/pb?x={VISITOR_ID}", "cannot be used"),
        ("fact in the path", "/{visitor_id}/pb", "cannot be used in the path"),
        ("secret in the path", "/{secret}/pb", "cannot be used in the path"),
        ("secret in the body", "POST /pb\n\nx={secret}", "cannot be used in the body"),
        ("basic in the query", "/pb?x={basic}", "cannot be used in the query"),
        ("fact in a header", "/pb\nX: {visitor_id}", "cannot be used in the header X"),
        ("stray brace", "/pb?x={visitor id}", "Remove blanks"),
        ("open brace", "/pb?x={visitor_id", "Write a macro as"),
        ("empty braces", "/pb?x={}", "Write a macro as"),
        ("letters beyond ASCII in the body", "POST /pb\n\nx=č", "beyond ASCII"),
        ("body of a GET", "/pb\n\nx=1", "A GET request has no body"),
        ("header without a colon", "/pb\nAccept", "Write a header as"),
        ("header name", "/pb\nA b: c", "Write a header as"),
        ("second host", "/pb\nHost: evil.example", "Leave the header Host out"),
        ("second length", "/pb\ncontent-length: 1", "Leave the header"),
        ("too long", "/pb?x=" + "a" * 2000, "at most 2000 characters"),
    ],
)
def test_template_that_cannot_be_sent_is_refused(text, message):
    with pytest.raises(TemplateFault, match=message):
        parse_template(text, MACROS)


@given(st.text(), st.text())
def test_no_value_leaves_its_parameter_or_the_host(visitor_id, amount):
    call = rendered(
        "/pb?id={visitor_id}&end=1&sum={amount}", visitor_id=visitor_id, amount=amount
    )

    parts = urlsplit(call.url)
    assert (parts.scheme, parts.netloc, parts.path) == (
        "https",
        "track.example",
        "/base/pb",
    )
    assert set(parse_qs(parts.query)) <= {"id", "end", "sum"}
    assert parse_qs(parts.query)["end"] == ["1"]
    assert call.url.isascii()
    assert call.url.isprintable()


@given(st.text() | st.text().map(lambda text: f"/{text}"))
def test_any_text_is_a_template_or_a_fault(text):
    try:
        template = parse_template(text, MACROS)
    except TemplateFault:
        return

    assert template.path.startswith("/")
    assert not template.path.startswith("//")
