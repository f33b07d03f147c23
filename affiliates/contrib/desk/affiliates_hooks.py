"""Registers the job of the saved lists."""

from __future__ import annotations

from affiliates.contrib.desk.exports import services as exports
from affiliates.roles import register

__all__ = ["exports"]

register("affiliates_desk", {})
