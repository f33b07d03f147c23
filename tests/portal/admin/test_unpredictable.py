"""What opens an account is made of the system's randomness, and of enough of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from portal.clients.second_factor import renew_codes
from tests.portal.admin.live_tokens import tokens_of

# A session's key has 32 letters and digits; the others are bytes in hexadecimal or base64.
LEAST_CHARACTERS = 32


@pytest.fixture
def twice(db: None) -> Callable[[Callable[[], Any]], tuple[Any, Any]]:
    """What is made when Python's own generator stands somewhere, and again from there."""

    def make_once(make: Callable[[], Any]) -> Any:
        random.seed(1)
        with transaction.atomic():
            made = make()
            transaction.set_rollback(True)
        return made

    return lambda make: (make_once(make), make_once(make))


def test_tokens_differ_though_the_plain_generator_repeats_itself(
    twice, affiliate, staff, now
):
    first, second = twice(lambda: tokens_of(affiliate, staff, now=now))

    assert [kind for kind in first if first[kind] == second[kind]] == []
    typed = [kind for kind in first if kind.startswith("recovery code")]
    assert len(typed) == 2
    short = [kind for kind in first if len(first[kind]) < LEAST_CHARACTERS]
    assert short == typed


def test_recovery_codes_do_too(twice, staff):
    first, second = twice(lambda: renew_codes(staff))

    assert not set(first) & set(second)
    # Characters of 32: 24 are 120 bits.
    assert {len(one.replace("-", "")) for one in first} == {24}


def test_so_does_the_key_of_an_authenticator(twice, settings, staff):
    settings.STAFF_SECOND_FACTOR = True

    def set_up() -> str:
        browser = Client()
        browser.force_login(staff, backend="portal.clients.backends.EmailBackend")
        return browser.get("/admin/second-factor/").context["key"]

    first, second = twice(set_up)

    assert first != second
    # Base32 of 20 bytes.
    assert (len(first), len(second)) == (32, 32)


def test_so_do_keys_of_sessions(twice, settings):
    store = import_module(settings.SESSION_ENGINE).SessionStore
    first, second = twice(lambda: store()._get_new_session_key())

    assert first != second
    assert len(first) == len(second) == LEAST_CHARACTERS
