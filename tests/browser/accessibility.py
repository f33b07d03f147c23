"""What axe-core finds on a page by WCAG 2.2, level A and AA."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def faults_of(page: Page) -> list[str]:
    """Each rule that is broken, with the first elements that break it."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"runOnly": {"type": "tag", "values": LEVELS}}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: " + " | ".join(node["html"][:200] for node in one["nodes"][:3])
        for one in found
    ]
