"""Apps beside the core. A host that wants all adds ``*APPS`` to its INSTALLED_APPS."""

from __future__ import annotations

APPS = (
    "affiliates.contrib.statistics",
    "affiliates.contrib.recruitment",
    "affiliates.contrib.claims",
    "affiliates.contrib.payout_runs",
    "affiliates.contrib.imports",
    "affiliates.contrib.area",
    "affiliates.contrib.desk",
)
