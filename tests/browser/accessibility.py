"""What axe-core finds on a page by WCAG 2.2, level A and AA."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PRACTICES = "best-practice"
# The rules that ask for colours.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
RUN = """async ([without, options]) => {
    const found = await axe.run({ exclude: without.map((one) => [one]) }, options);
    return found.violations;
}"""


def faults_of(
    page: Page,
    *,
    without: Sequence[str] = (),
    only_colours: bool = False,
    has_practices: bool = False,
) -> list[str]:
    """Each rule that is broken, with the first elements that break it.

    ``without`` are selectors of what is judged elsewhere. ``only_colours`` is for a page
    that is judged in other colours too. ``has_practices``: axe's best practices count.
    """
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(_axe())
    practices = [PRACTICES] if has_practices else []
    levels = {"type": "tag", "values": LEVELS + practices}
    colours = {"type": "rule", "values": OF_COLOURS}
    options = {
        "runOnly": colours if only_colours else levels,
        "resultTypes": ["violations"],
    }
    return [
        f"{one['id']}: " + " | ".join(node["html"][:200] for node in one["nodes"][:3])
        for one in page.evaluate(RUN, [list(without), options])
    ]


@cache
def _axe() -> str:
    from axe_playwright_python.base import AXE_SCRIPT

    return str(AXE_SCRIPT)
