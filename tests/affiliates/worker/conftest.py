from __future__ import annotations

import pytest

from affiliates.worker import registry


@pytest.fixture
def register(monkeypatch):
    """As a host registers a job of its own; forgotten after the test."""
    monkeypatch.setattr(registry, "_jobs", dict(registry._jobs))
    return registry.register
