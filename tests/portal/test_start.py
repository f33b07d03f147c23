"""The portal's web processes do not start with a wrong clock."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from affiliates.clock import WrongClock
from portal import asgi, wsgi
from tests.races import needs_postgresql


@needs_postgresql
@pytest.mark.parametrize("server", [wsgi, asgi])
def test_a_wrong_clock_is_refused(transactional_db, server):
    with (
        time_machine.travel(datetime.now(tz=UTC) + timedelta(minutes=20)),
        pytest.raises(WrongClock),
    ):
        importlib.reload(server)
