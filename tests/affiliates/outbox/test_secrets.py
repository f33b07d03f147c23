"""Providers' credentials: encrypted at rest, in no text that a program prints."""

from __future__ import annotations

import pytest

from affiliates.encrypted.columns import SecretUnreadable
from affiliates.outbox.http.types import Call
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.secrets import CREDENTIALS

OLD = "1:" + "A" * 43 + "="
NEW = "2:" + "B" * 42 + "A="
SECRETS = {"password": "hünter2", "api_key": "k" * 300}


def test_credentials_come_back_as_they_were():
    token = CREDENTIALS.seal(SECRETS)

    assert CREDENTIALS.open(token) == SECRETS


def test_token_shows_neither_names_nor_values():
    token = CREDENTIALS.seal({"password": "hunter2"})

    assert token.isascii()
    assert "hunter2" not in token
    assert "password" not in token


def test_same_credentials_make_another_token_each_time():
    assert CREDENTIALS.seal(SECRETS) != CREDENTIALS.seal(SECRETS)


def test_no_credentials_are_no_token():
    assert CREDENTIALS.seal({}) == ""
    assert CREDENTIALS.open("") == {}


def test_cookie_keys_serve_while_there_are_no_others(settings):
    settings.AFFILIATES_COOKIE_KEYS = OLD
    settings.AFFILIATES_SECRET_KEYS = ""
    token = CREDENTIALS.seal(SECRETS)

    settings.AFFILIATES_SECRET_KEYS = OLD
    settings.AFFILIATES_COOKIE_KEYS = NEW

    assert CREDENTIALS.open(token) == SECRETS


def test_old_key_still_reads_and_the_new_one_writes(settings):
    settings.AFFILIATES_SECRET_KEYS = OLD
    before = CREDENTIALS.seal(SECRETS)
    settings.AFFILIATES_SECRET_KEYS = f"{NEW},{OLD}"
    after = CREDENTIALS.seal(SECRETS)

    assert CREDENTIALS.open(before) == SECRETS
    assert CREDENTIALS.open(after) == SECRETS

    settings.AFFILIATES_SECRET_KEYS = NEW

    assert CREDENTIALS.open(after) == SECRETS
    with pytest.raises(SecretUnreadable):
        CREDENTIALS.open(before)


@pytest.mark.parametrize(
    ("_case", "spoil"),
    [
        ("no token", lambda token: "nonsense"),
        ("cut", lambda token: token[:-5]),
        ("changed", lambda token: token[:40] + "AAAA" + token[44:]),
        ("not ASCII", lambda token: "é" * 100),
    ],
)
def test_spoilt_token_asks_for_the_credentials_again(_case, spoil):
    token = spoil(CREDENTIALS.seal(SECRETS))

    with pytest.raises(SecretUnreadable) as failure:
        CREDENTIALS.open(token)

    assert str(failure.value) == (
        "The stored credentials cannot be read with the keys of this server. "
        "Enter them again in the form."
    )


def test_settings_print_no_credentials():
    settings = ProviderSettings(
        address="https://tracking.example.com",
        parameters=("a_aid",),
        values={"username": "ann"},
        secrets={"password": "hunter2"},
    )

    assert "hunter2" not in f"{settings!r} {settings}"
    assert "ann" in repr(settings)


def test_call_prints_none_of_its_texts():
    call = Call(
        method="POST",
        url="https://tracking.example.com/?token=hunter2",
        headers=(("X-Api-Key", "hunter2"),),
        body=b"password=hunter2",
        secrets=("hunter2",),
    )

    assert "hunter2" not in f"{call!r} {call}"
    assert "POST" in repr(call)
