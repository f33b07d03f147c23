"""The bare host with the API under a prefix of its own."""

from __future__ import annotations

from tests.hosts.bare.settings import *  # noqa: F403

ROOT_URLCONF = "tests.hosts.prefixed.urls"
