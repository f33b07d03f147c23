"""Affiliate tracking for a client area: see README.md."""

from __future__ import annotations

__version__ = "1.3.0"
