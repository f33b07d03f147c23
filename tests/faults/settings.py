"""The settings of the processes under test: quick leases, so that a kill costs seconds."""

from __future__ import annotations

from portal.settings import *  # noqa: F403

AFFILIATES_DELIVERY_LEASE_SECONDS = 2
