"""The core alone: the bare host without any app beside it."""

from __future__ import annotations

from importlib.util import find_spec

import django

from affiliates import APPS
from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS

_LEFT_OUT = {*APPS} if find_spec("unfold") else {*APPS, "unfold"}
INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in _LEFT_OUT]
_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# As startproject writes them.
if django.VERSION < (6, 1):
    EMAIL_BACKEND = _BACKEND
else:
    MAILERS = {"default": {"BACKEND": _BACKEND}}
ROOT_URLCONF = "tests.hosts.minimal.urls"
