"""The portal's web processes do not start with a wrong clock."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from affiliates.api import short_path
from affiliates.db.clock import WrongClock
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


@pytest.mark.parametrize(
    ("server", "layer"), [(wsgi, "VisitShortPath"), (asgi, "AsyncVisitShortPath")]
)
def test_the_short_path_may_be_switched_off(db, settings, monkeypatch, server, layer):
    wrapped = []
    monkeypatch.setattr(short_path, layer, lambda inner: wrapped.append(inner) or inner)
    for is_on in (False, True):
        settings.VISIT_SHORT_PATH = is_on
        importlib.reload(server)
        assert len(wrapped) == is_on

    monkeypatch.undo()
    importlib.reload(server)
