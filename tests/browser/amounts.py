"""Amounts on a page that are not wholly in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Wider than their cell, or beyond the edge of the window or of what scrolls in it.
CUT = """() => [...document.querySelectorAll("td, th, dd, .figure, .rate, .example")]
    .filter((one) => one.checkVisibility() && /[€$]\\s?\\d|\\d\\s?[€$]/.test(one.textContent))
    .filter((one) => {
        const around = one.closest(".scroll, .affiliates-scroll");
        const edge = around ? around.getBoundingClientRect().right : innerWidth;
        return one.scrollWidth > one.clientWidth + 1
            || one.getBoundingClientRect().right > Math.min(edge, innerWidth) + 1;
    }).map((one) => one.textContent.trim())"""


def cut_amounts(page: Page) -> list[str]:
    found: list[str] = page.evaluate(CUT)
    return found
