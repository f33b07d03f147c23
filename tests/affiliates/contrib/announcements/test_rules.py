"""The links in the text of an announcement."""

from __future__ import annotations

import pytest

from affiliates.contrib.announcements.rules import parts_of, urls_in


@pytest.mark.parametrize(
    ("_case", "text", "urls"),
    [
        ("none", "No link: example.com", []),
        (
            "at the end of a sentence",
            "See https://a.example/x.",
            ["https://a.example/x"],
        ),
        ("in brackets", "(https://a.example/x)", ["https://a.example/x"]),
        ("a query", "http://a.example/?a=1&b=2!", ["http://a.example/?a=1&b=2"]),
        ("in angle brackets", "<https://a.example>", ["https://a.example"]),
        ("twice", "https://a.example https://a.example", ["https://a.example"]),
        ("a script is no link", "javascript:alert(1) ftp://a.example", []),
        ("no host", "https://", []),
    ],
)
def test_urls_of_a_text(_case, text, urls):
    assert urls_in([text]) == urls


def test_urls_of_translations_follow_and_none_is_repeated():
    texts = [
        "https://a.example https://b.example",
        "https://c.example https://a.example",
    ]

    assert urls_in(texts) == [
        "https://a.example",
        "https://b.example",
        "https://c.example",
    ]


def test_parts_lead_to_the_address_of_their_url_or_to_the_url():
    text = "One https://a.example, two https://b.example."

    assert parts_of(text, {"https://a.example": "https://ours.example/1"}) == [
        {"text": "One ", "url": ""},
        {"text": "https://a.example", "url": "https://ours.example/1"},
        {"text": ", two ", "url": ""},
        {"text": "https://b.example", "url": "https://b.example"},
        {"text": ".", "url": ""},
    ]


def test_parts_of_a_text_add_up_to_it():
    text = "https://a.example\n\nThen (https://b.example), and more."

    assert "".join(part["text"] for part in parts_of(text, {})) == text
