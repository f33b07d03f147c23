"""A displayed text that keeps its value."""

from __future__ import annotations

from typing import Self


class Shown(str):
    """Exports of a list, for example, use the value instead of the text."""

    value: object

    @classmethod
    def of(cls, value: object, text: str) -> Self:
        shown = cls(text)
        shown.value = value
        return shown
