"""The core alone: the bare host without any app beside it."""

from __future__ import annotations

from affiliates.contrib import APPS
from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS

INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in APPS]
ROOT_URLCONF = "tests.hosts.minimal.urls"
