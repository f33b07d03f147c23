"""A page of the desk as people see it: wide and narrow, light and dark."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.accessibility import faults_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Where the pictures go to be looked at; nowhere unless it is set.
PICTURES = os.environ.get("PICTURES", "")
SIZES = {1280: 900, 390: 844}
# The same on every page: judged on the first one.
SIDEBAR = "#nav-sidebar-inner"
# Unfold looks for the theme when a page is loaded only. Colours that still change are none.
# Those of what is folded away may never end: nobody waits for them longer than a second.
DRAW = """async (isDark) => {
    document.documentElement.classList.toggle("dark", isDark);
    const drawn = () => new Promise(requestAnimationFrame);
    await drawn();
    await drawn();
    const ends = (one) => one.effect.getComputedTiming().endTime !== Infinity;
    const ended = document.getAnimations().filter(ends).map((one) => one.finished);
    const second = new Promise((resolve) => setTimeout(resolve, 1000));
    await Promise.race([Promise.allSettled(ended), second]);
    return document.documentElement.scrollWidth - window.innerWidth;
}"""


@dataclass
class Looks:
    """Looks at ``page``, and hears all that its console says from now on."""

    page: Page
    without: tuple[str, ...] = (SIDEBAR,)
    faults: list[tuple[str, int, str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda one: self.said.append(one.text))
        self.page.on("pageerror", lambda one: self.said.append(str(one)))

    def at(self, name: str) -> None:
        """Note the faults of the page that is shown, and leave it wide and light."""
        self.page.wait_for_load_state()
        self.page.wait_for_function("!document.querySelector('[x-cloak]')")
        for scheme in ("dark", "light"):
            for width in sorted(SIZES):
                self._draw(name, width, scheme)

    def require_none(self) -> None:
        assert self.faults == []
        assert self.said == []

    def _draw(self, name: str, width: int, scheme: str) -> None:
        self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # one of two
        self.page.set_viewport_size({"width": width, "height": SIZES[width]})
        too_wide = self.page.evaluate(DRAW, scheme == "dark")
        found = faults_of(
            self.page, without=self.without, only_colours=scheme == "dark"
        )
        if too_wide > 0:
            found.append(f"{too_wide} px too wide")
        self.faults += [(name, width, scheme, fault) for fault in found]
        if PICTURES:
            file = Path(PICTURES) / f"{name}-{width}-{scheme}.png"
            self.page.screenshot(path=file, full_page=True)
