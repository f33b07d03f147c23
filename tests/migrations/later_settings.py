"""The portal, and a release after this one in which a column and an index were added."""

from __future__ import annotations

from portal.settings import *  # noqa: F403

MIGRATION_MODULES = {**MIGRATION_MODULES, "affiliates": "tests.migrations.later"}  # noqa: F405
