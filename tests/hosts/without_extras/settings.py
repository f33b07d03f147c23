"""The bare host with nothing but what ``pip install affiliates`` brings."""

from __future__ import annotations

from tests.hosts.plain_admin.settings import *  # noqa: F403

ROOT_URLCONF = "tests.hosts.without_extras.urls"
