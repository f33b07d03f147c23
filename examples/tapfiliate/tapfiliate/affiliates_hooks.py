"""Registers the provider."""

from __future__ import annotations

from tapfiliate import adapter

__all__ = ["adapter"]
