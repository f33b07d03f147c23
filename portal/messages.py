"""MESSAGE_STORAGE: Django's default with another name of the cookie."""

from __future__ import annotations

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class NamedCookieStorage(CookieStorage):
    cookie_name = settings.MESSAGE_COOKIE_NAME  # type: ignore[misc] # of cookie_settings


class MessageStorage(FallbackStorage):
    storage_classes = (NamedCookieStorage, SessionStorage)
