"""The module where Django finds the admin pages of the area."""

from __future__ import annotations

from affiliates.admin_tools.theme import register_on_host_site
from affiliates.contrib.area.keys import admin as keys
from affiliates.contrib.area.looks import admin as looks

__all__ = ["keys", "looks"]

register_on_host_site()
