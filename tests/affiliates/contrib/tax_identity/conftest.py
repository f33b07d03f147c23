from __future__ import annotations

import json

import pytest
from django.test import Client

from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response


class Vies:
    """VIES, told what to answer: a body, a status with text, or nothing at all."""

    def __init__(self):
        self.calls: list[Call] = []
        self.answer: object = {"valid": True, "userError": "VALID"}

    def send(self, call: Call) -> Response:
        self.calls.append(call)
        if self.answer is None:
            raise CallFailed(FailureKind.NO_ANSWER, "ec.europa.eu gave no answer.")
        status, text = (
            self.answer
            if isinstance(self.answer, tuple)
            else (200, json.dumps(self.answer))
        )
        return Response(status=status, headers={}, body=text.encode())

    @property
    def questions(self) -> list[object]:
        return [json.loads(call.body) for call in self.calls]


@pytest.fixture
def vies() -> Vies:
    return Vies()


@pytest.fixture
def browser(affiliate, settings) -> Client:
    """The affiliate's own, signed in on the brand's client area."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(affiliate.user)
    # The portal keeps in which language its client reads: that is written once.
    browser.get("/affiliate/program")
    return browser
