"""Registers the provider."""

from __future__ import annotations

from affiliates.contrib.tapfiliate import adapter

__all__ = ["adapter"]
