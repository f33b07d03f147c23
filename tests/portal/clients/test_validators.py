"""What a password may not be, beside what Django itself refuses."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.contrib.auth.password_validation import (
    get_password_validators,
    validate_password,
)
from django.core.exceptions import ValidationError
from django.utils import translation

from portal.checks import check_breached_passwords
from portal.passwords import password_validators
from tests.cases import each
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db

REFUSED = (
    "This password is little more than a word of this site, such as its name. Add words "
    "of your own."
)


def refusals(password: str, validators: Any = None) -> list[str]:
    try:
        validate_password(password, password_validators=validators)
    except ValidationError as refused:
        return refused.messages
    return []


@pytest.fixture
def brands() -> None:
    BrandFactory(name="Acme Höchst & Co", client_area="shop.ice-cream.example")
    BrandFactory(name="Zeta", client_area="kontor.example.org")


@each(
    "password",
    [
        *("affiliate1", "Affiliates2026", "referral-referral", "my-commission"),
        *("payout:9999", "PartnerPortal!", "Zeta2026!!zeta", "acmehöchst&co"),
        *("höchst-2026", "ICECREAM-26", "shop.ice-cream.example", "kontor-123"),
    ],
)
def test_a_word_of_the_site_is_no_password(password, brands):
    assert refusals(password) == [REFUSED]


@each(
    "password",
    [
        *("affiliate-horse-battery", "correct-horse-battery", "zeta-of-riemann"),
        # Too short to be a word, or no word at all.
        *("co-co-co-17x", "org.org.org.org", "!!!!????!!!!"),
    ],
)
def test_a_word_among_others_is_one(password, brands):
    assert refusals(password) == []


def test_it_is_said_in_german(brands):
    with translation.override("de"):
        assert refusals("affiliate1") == [
            "Dieses Passwort besteht fast nur aus einem Wort dieser Website, etwa ihrem "
            "Namen. Fügen Sie eigene Wörter hinzu."
        ]


@pytest.fixture
def list_of(tmp_path):
    """The validators of a portal with such a file."""

    def write(content: bytes) -> Any:
        path = tmp_path / "breached.txt"
        path.write_bytes(content)
        return get_password_validators(password_validators(str(path)))

    return write


@each("packed", [bytes, gzip.compress])
def test_a_breached_password_is_refused(packed, list_of):
    validators = list_of(packed(b"correct-horse-battery\nanother-horse\n"))

    assert refusals("Correct-Horse-Battery", validators) == [
        "This password is too common."
    ]
    assert refusals("a-third-horse", validators) == []


@each(("path", "found"), [("", []), (__file__, []), ("/none", ["portal.E004"])])
def test_a_missing_list_is_found_before_anybody_registers(path, found, settings):
    settings.BREACHED_PASSWORDS_FILE = path

    assert [message.id for message in check_breached_passwords(None)] == found
