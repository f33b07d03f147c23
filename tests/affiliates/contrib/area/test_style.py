"""Shades of a brand's colour that can be read."""

from __future__ import annotations

import pytest

from affiliates.contrib.area.style import DARK_PAGE, LIGHT_PAGE
from affiliates.core.colours import contrast, palette

# What links are on: cards, and what is around them (static/affiliates/area.css).
GROUNDS = {LIGHT_PAGE: ("#ffffff", "#f4f5f7"), DARK_PAGE: ("#1b1f26", "#12151a")}


@pytest.mark.parametrize(
    ("colour", "light", "dark"),
    [
        ("#2457c5", "#2457c5", "#6689d6"),
        ("#757575", "#6f6f6f", "#8a8a8a"),
        ("#ffff00", "#737300", "#ffff00"),
        ("#000000", "#000000", "#8c8c8c"),
        ("#ffffff", "#666666", "#ffffff"),
    ],
)
def test_a_colour_is_moved_away_from_the_page_as_far_as_needed(colour, light, dark):
    assert palette(colour, page=LIGHT_PAGE).accent == light
    assert palette(colour, page=DARK_PAGE).accent == dark


def test_every_shade_can_be_read_and_be_written_on():
    steps = range(0, 256, 51)
    for red, green, blue in ((r, g, b) for r in steps for g in steps for b in steps):
        for page in (LIGHT_PAGE, DARK_PAGE):
            made = palette(f"#{red:02x}{green:02x}{blue:02x}", page=page)
            for ground in GROUNDS[page]:
                assert contrast(made.accent, ground) >= 4.5
            assert contrast(made.accent, made.on_accent) >= 4.5


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
