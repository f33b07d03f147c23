"""Registers the job of the applications."""

from __future__ import annotations

from affiliates.contrib.recruitment.services import applications

__all__ = ["applications"]
