"""The bare host without the apps that WITHOUT_APPS names, by their labels."""

from __future__ import annotations

import os

from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import DATABASES, INSTALLED_APPS

_WITHOUT = {
    label.replace("affiliates_", "affiliates.contrib.")
    for label in os.environ.get("WITHOUT_APPS", "").split()
}
INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in _WITHOUT]
# With --reuse-db, tests take this database for their own.
DATABASES["default"]["TEST"] = {"NAME": DATABASES["default"]["NAME"]}
# As in tests/conftest.py: what fills the host must lose no click of a busy machine.
AFFILIATES_VISIT_DEADLINE_SECONDS = 10.0
