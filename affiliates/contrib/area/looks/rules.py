"""How long staff may look at an affiliate's area, and how they get there."""

from __future__ import annotations

from datetime import timedelta

LENGTH = timedelta(minutes=15)
# From the admin to the area's host, which is often another.
HANDOVER = timedelta(minutes=1)
MAX_PAGES = 500


def opened(pages: list[str], page: str) -> list[str]:
    """Each once, in the order in which they were opened first."""
    return pages if page in pages or len(pages) >= MAX_PAGES else [*pages, page]
