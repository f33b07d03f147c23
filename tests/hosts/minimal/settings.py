"""The core alone: the bare host without any app beside it."""

from __future__ import annotations

from importlib.util import find_spec

from affiliates import APPS
from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS

_LEFT_OUT = {*APPS} if find_spec("unfold") else {*APPS, "unfold"}
INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in _LEFT_OUT]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ROOT_URLCONF = "tests.hosts.minimal.urls"
