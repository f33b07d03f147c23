"""Registers the sender."""

from __future__ import annotations

from affiliates.contrib.paypal import sender

__all__ = ["sender"]
