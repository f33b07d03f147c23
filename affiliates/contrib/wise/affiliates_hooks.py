"""Registers the way to be paid and its sender."""

from __future__ import annotations

from affiliates.contrib.wise import provider, sender

__all__ = ["provider", "sender"]
