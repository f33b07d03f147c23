"""The module where Django finds the admin pages of the area."""

from __future__ import annotations

from affiliates.contrib.area.keys import admin as keys
from affiliates.contrib.area.looks import admin as looks

__all__ = ["keys", "looks"]
