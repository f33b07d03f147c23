from __future__ import annotations

import pytest
from django.test import Client
from time_machine import travel

PATH = "/.well-known/security.txt"


@travel("2026-11-26T18:00:00Z", tick=False)
def test_it_says_whom_to_write_to_until_when(settings):
    settings.SECURITY_CONTACT = ["mailto:security@example.com", "https://example.com/s"]
    settings.SECURITY_LANGUAGES = ["en", "de"]
    settings.ALLOWED_HOSTS = ["desk.example.com"]

    answer = Client(headers={"host": "desk.example.com"}).get(PATH)

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text == (
        "Contact: mailto:security@example.com\n"
        "Contact: https://example.com/s\n"
        "Expires: 2026-12-26T18:00:00Z\n"
        "Preferred-Languages: en, de\n"
        "Canonical: http://desk.example.com/.well-known/security.txt\n"
    )


def test_without_a_contact_there_is_none(settings):
    settings.SECURITY_CONTACT = []

    assert Client().get(PATH).status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_is_only_read(method, settings):
    settings.SECURITY_CONTACT = ["mailto:security@example.com"]

    assert getattr(Client(), method)(PATH).status_code == 405
