"""All providers by their codes: each app registers its own in ``affiliates_hooks.py``."""

from __future__ import annotations

from typing import TypeVar

from affiliates.outbox.protocol import TrackingAdapter
from affiliates.outbox.types import WEBHOOK

A = TypeVar("A", bound=TrackingAdapter)

ADAPTERS: dict[str, TrackingAdapter] = {}


def register(adapter: type[A]) -> type[A]:
    """Decorates a provider's class, of which there is one object."""
    ADAPTERS[adapter.code] = adapter()
    return adapter


def trackers() -> list[TrackingAdapter]:
    """The providers that attribute visits: all except the webhook."""
    return [adapter for adapter in ADAPTERS.values() if adapter.code != WEBHOOK]
