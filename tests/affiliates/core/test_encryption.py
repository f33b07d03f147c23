"""Encryption at rest: the text names its key, and opens for its own purpose alone."""

from __future__ import annotations

import pytest

from affiliates.core.secrets.encryption import (
    Undecryptable,
    decrypt,
    encrypt,
    fingerprints,
    key_id_of,
)
from affiliates.core.secrets.sealing import KeyRing
from tests.cases import each

OLD, NEW = "1:" + "A" * 43 + "=", "20:" + "B" * 42 + "A="
BEFORE, BOTH, AFTER = map(KeyRing.parse, (OLD, f"{NEW},{OLD}", NEW))
PURPOSE = b"tests.v1"
CONTENT = "Jürgen: 4711".encode()


def test_content_comes_back_under_every_ring_that_has_the_key():
    text = encrypt(CONTENT, BEFORE, purpose=PURPOSE)

    assert text.startswith("1.")
    assert decrypt(text, BEFORE, purpose=PURPOSE) == CONTENT
    assert decrypt(text, BOTH, purpose=PURPOSE) == CONTENT
    assert encrypt(CONTENT, BOTH, purpose=PURPOSE).startswith("20.")
    assert encrypt(CONTENT, BEFORE, purpose=PURPOSE) != text


def test_twenty_bytes_fit_a_column_of_eighty_characters():
    """The key of an authenticator in django-otp's column."""
    ring = KeyRing.parse("255:" + "A" * 43 + "=")

    assert len(encrypt(bytes(20), ring, purpose=PURPOSE)) == 68


@each(
    ("_case", "change", "key_id"),
    [
        ("another key's id", lambda text: f"20{text[1:]}", 20),
        ("a key that is missing", lambda text: f"3{text[1:]}", 3),
        (
            "another first byte",
            lambda text: f"1.{'A' if text[2] != 'A' else 'B'}{text[3:]}",
            1,
        ),
        ("cut off", lambda text: text[:-1], 1),
        ("nothing behind the id", lambda text: "1.", 1),
        ("no base64", lambda text: f"1.%{text[3:]}", 1),
        ("not ASCII", lambda text: f"{text}é", 1),
        ("an id with a zero before it", lambda text: f"0{text}", None),
        ("an id that no key may have", lambda text: f"256{text[1:]}", None),
        ("no id", lambda text: text[2:], None),
        ("the content itself", lambda text: CONTENT.decode(), None),
        ("nothing", lambda text: "", None),
    ],
)
def test_any_other_text_is_refused_with_the_key_that_it_names(change, key_id):
    text = change(encrypt(CONTENT, BEFORE, purpose=PURPOSE))

    with pytest.raises(Undecryptable) as refused:
        decrypt(text, BOTH, purpose=PURPOSE)

    assert refused.value.key_id == key_id == key_id_of(text)


def test_another_key_of_the_same_id_and_another_purpose_open_nothing():
    text = encrypt(CONTENT, BEFORE, purpose=PURPOSE)
    renamed = KeyRing.parse(NEW.replace("20:", "1:"))

    with pytest.raises(Undecryptable):
        decrypt(text, renamed, purpose=PURPOSE)
    with pytest.raises(Undecryptable):
        decrypt(text, BEFORE, purpose=b"others.v1")


def test_fingerprints_are_one_for_each_key_by_the_first_key_first():
    [old], [new, again] = (
        fingerprints("DE89", ring, purpose=PURPOSE) for ring in (BEFORE, BOTH)
    )

    assert (again, len({old, new}), len(new)) == (old, 2, 64)
    assert fingerprints("DE90", BEFORE, purpose=PURPOSE) != [old]
    assert fingerprints("DE89", BEFORE, purpose=b"others.v1") != [old]
