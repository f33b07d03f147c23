"""The bare host with users whose keys are UUIDs."""

from __future__ import annotations

from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.hosts.uuid_keys"]
AUTH_USER_MODEL = "uuid_keys.User"
