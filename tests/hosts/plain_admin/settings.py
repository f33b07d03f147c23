"""The bare host without unfold: Django's own admin draws the pages."""

from __future__ import annotations

from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import INSTALLED_APPS

INSTALLED_APPS = [one for one in INSTALLED_APPS if one != "unfold"]
