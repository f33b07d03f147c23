from __future__ import annotations

import pytest
from django.test import Client


@pytest.fixture(autouse=True)
def _any_login(settings):
    """Whichever host it is: its own way to sign in is not what is tested here."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.TIME_ZONE = "UTC"
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]


@pytest.fixture
def browser(affiliate) -> Client:
    """The affiliate's own, signed in on the brand's client area."""
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(affiliate.user)
    return browser
