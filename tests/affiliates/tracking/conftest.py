from __future__ import annotations

from tests.affiliates.outbox.conftest import adapter, clock, integration

__all__ = ["adapter", "clock", "integration"]
