"""The bare host behind a router whose replica is so far behind that it has no rows.

Django lets no test ask the replica: whatever reads there fails.
"""

from __future__ import annotations

from tests.hosts.bare.settings import *  # noqa: F403
from tests.hosts.bare.settings import DATABASES

DATABASES["replica"] = {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": ":memory:",
    "TEST": {"MIGRATE": False},
}
DATABASE_ROUTERS = ["tests.hosts.replica.router.ReadsFromReplica"]
