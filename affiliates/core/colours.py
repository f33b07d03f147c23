"""Shades of a brand's colour that can be read on light and on dark grounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

# Of a brand without a colour of its own.
DEFAULT_COLOUR = "#2457c5"
BLACK, WHITE = "#000000", "#ffffff"
LEAST_CONTRAST = 4.5
STEPS = 20


@dataclass(frozen=True, slots=True)
class Palette:
    """``accent`` is for text on the page and fills, ``on_accent`` for text on fills."""

    accent: str
    on_accent: str


@lru_cache
def palette(colour: str, *, page: str) -> Palette:
    """The colour, moved away from the page as far as text needs to be read on it."""
    away = WHITE if contrast(WHITE, page) > contrast(BLACK, page) else BLACK
    accent = next(
        mixed
        for step in range(STEPS + 1)
        if contrast(mixed := _mixed(colour, away, step / STEPS), page) >= LEAST_CONTRAST
    )
    on_accent = max(BLACK, WHITE, key=lambda text: contrast(text, accent))
    return Palette(accent, on_accent)


def contrast(colour: str, other: str) -> float:
    """From 1, the same, to 21, black on white."""
    lighter, darker = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _mixed(colour: str, other: str, share: float) -> str:
    parts = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in parts)


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))
