"""The sidebar and the search of unfold, for its settings.

``SIDEBAR = {"navigation": "affiliates.contrib.desk.theme.sidebar"}`` and
``COMMAND = {"search_callback": "affiliates.contrib.desk.theme.palette"}``.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from affiliates.admin_tools.naming import page_name
from affiliates.contrib.desk.navigation import active_item, areas
from affiliates.contrib.desk.search.finding import Hit, find


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Returns unfold's sidebar. The item with the longest matching path is active."""
    groups = areas(request)
    here = active_item(request, [item for area in groups for item in area.items])
    return [
        {
            "title": area.title,
            "separator": place > 0,
            "items": [
                {
                    "title": item.title,
                    "icon": item.icon,
                    "link": item.path,
                    "active": item is here,
                    "badge": item.count,
                    "badge_variant": "info",
                }
                for item in area.items
            ],
        }
        for place, area in enumerate(groups)
    ]


def palette(request: HttpRequest, typed: str) -> list[Hit]:
    """Returns what is found; else a sentence that leads to the page of the search.

    Unfold shows nothing for an empty list, and keeps each answer for five minutes.
    """
    hits = [hit for group in find(request, typed) for hit in group.hits]
    if hits or not typed.strip():
        return hits
    page = f"{reverse(page_name('brand', 'search'))}?{urlencode({'q': typed})}"
    return [Hit(f"Nothing found for “{typed}”", "Search again", page, "search_off")]
