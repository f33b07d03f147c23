"""The bare host with a transaction around every request."""

from __future__ import annotations

from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import DATABASES

DATABASES["default"]["ATOMIC_REQUESTS"] = True
