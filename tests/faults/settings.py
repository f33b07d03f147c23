"""The settings of the processes under test: quick leases, so that a kill costs seconds."""

from __future__ import annotations

from datetime import timedelta

from affiliates.outbox import pacing, rules
from affiliates.outbox.http.client import Transport
from portal.settings import *  # noqa: F403
from tests.lengths import IS_LONG

AFFILIATES_DELIVERY_LEASE_SECONDS = 2

if not IS_LONG:
    # A bad day of seconds: everybody has less patience, and does the same in the end.
    pacing.FIRST_PAUSE = timedelta(seconds=0.5)
    rules.LOOKUP_DELAY = timedelta(seconds=5)
    Transport.__init__.__kwdefaults__ |= {"read_seconds": 1.0, "total_seconds": 1.5}
