"""Visits that cannot be used are refused, and leave nothing behind."""

from __future__ import annotations

import json

import ada_url
import pytest

from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, VISIT, refusal, visit, visit_body, visited
from tests.cases import each
from tests.database import nothing_written

NOT_A_URL = (400, "invalid", "visit_url")


@each(
    ("_case", "visit_url"),
    [
        ("words", "not a url"),
        ("path only", "/aff/0123456789"),
        ("no scheme", "shop.example.com/plans"),
        ("no host", "https://"),
        ("javascript", "javascript:alert(1)"),
        ("data", "data:text/html,hello"),
        ("ftp", "ftp://shop.example.com/"),
        ("file", "file:///etc/passwd"),
        ("blob", "blob:https://shop.example.com/1234"),
        ("port out of range", "https://shop.example.com:70000/"),
        ("host with a space", "https://shop .example.com/"),
        ("broken IPv6 address", "https://[::1/"),
        ("NUL in the host", "https://shop\x00.example.com/"),
    ],
)
def test_visit_url_must_be_an_http_url(api, brand, visit_url):
    with nothing_written():
        answer = visit(api, visit_url)

    assert refusal(answer) == NOT_A_URL


@pytest.mark.parametrize(
    ("_case", "rest"),
    [
        ("long", "a" * 20_000),
        ("invalid escape", "?q=%ff%fe%a0"),
        ("broken escape", "?q=%zz%"),
        ("escaped NUL", "%00?q=%00"),
        ("raw NUL", "\x00?q=\x00"),
        ("escaped surrogate", "?q=%ed%a0%80"),
        ("spaces and line breaks", " a b\t\r\n"),
        ("another alphabet", "プラン?ref=ü"),
        ("many parameters", "?" + "a=1&" * 1500),
        ("only separators", "?&&&==&;;#&&=?"),
    ],
)
def test_odd_but_readable_visit_url_is_accepted(api, brand, _case, rest):
    page = ada_url.URL(f"{SHOP}/{rest}").href

    assert visited(api, f"{SHOP}/{rest}") == {
        "redirect_url": page if "#" in page else f"{page}#"
    }


@each(
    ("_case", "value", "code"),
    [
        ("null", None, "null"),
        ("number", 7, "invalid"),
        ("fraction", 1.5, "invalid"),
        ("boolean", True, "invalid"),
        ("list", ["https://shop.example.com/"], "invalid"),
        ("object", {"url": "https://shop.example.com/"}, "invalid"),
    ],
)
@each("field", ["visit_url", "referrer_url", "user_agent"])
def test_field_of_the_wrong_type_is_refused(api, brand, field, value, code):
    body = {**visit_body(), field: value}

    with nothing_written():
        answer = api.post(VISIT, body, format="json")

    assert refusal(answer) == (400, code, field)


@pytest.mark.parametrize("field", ["visit_url", "referrer_url", "user_agent"])
def test_missing_field_is_refused(api, brand, field):
    body = visit_body()
    del body[field]

    with nothing_written():
        answer = api.post(VISIT, body, format="json")

    assert refusal(answer) == (400, "required", field)


def test_empty_visit_url_is_refused(api, brand):
    with nothing_written():
        answer = visit(api, "")

    assert refusal(answer) == (400, "blank", "visit_url")


@pytest.mark.parametrize("field", ["referrer_url", "user_agent"])
def test_other_texts_may_be_empty(api, link, field):
    visited(api, f"{SHOP}/aff/{link.hash}", **{field: ""})

    assert getattr(Click.objects.get(), field) == ""


def test_every_faulty_field_is_named_at_once(api, brand):
    body = {"visit_url": 1, "user_agent": None, "referral_cookie": []}

    with nothing_written():
        answer = api.post(VISIT, body, format="json")

    assert answer.status_code == 400
    assert answer.json() == {
        "type": "validation_error",
        "errors": [
            {"code": "invalid", "detail": "Not a valid string.", "attr": "visit_url"},
            {
                "code": "required",
                "detail": "This field is required.",
                "attr": "referrer_url",
            },
            {
                "code": "null",
                "detail": "This field may not be null.",
                "attr": "user_agent",
            },
            {
                "code": "invalid",
                "detail": "Not a valid string.",
                "attr": "referral_cookie",
            },
        ],
    }


@pytest.mark.parametrize(
    ("_case", "value"),
    [
        ("number", 7),
        ("boolean", False),
        ("list", []),
        ("object", {}),
        ("fraction", 0.5),
    ],
)
def test_referral_cookie_of_the_wrong_type_is_refused(api, link, _case, value):
    with nothing_written():
        answer = visit(api, f"{SHOP}/aff/{link.hash}", referral_cookie=value)

    assert refusal(answer) == (400, "invalid", "referral_cookie")


@each(
    ("_case", "field"),
    [
        ("visit_url", "visit_url"),
        ("cookie", "referral_cookie"),
        ("agent", "user_agent"),
    ],
)
@each("surrogate", [b'"\\ud800"', b'"a\\udfffb"', b'"\xed\xa0\x80"', b'"\xff\xfe"'])
def test_text_that_is_no_unicode_is_refused(api, brand, field, surrogate):
    body = json.dumps({**visit_body(), field: "@"}).encode().replace(b'"@"', surrogate)

    with nothing_written():
        answer = api.generic("POST", VISIT, body, content_type="application/json")

    assert refusal(answer) == (400, "parse_error", None)
