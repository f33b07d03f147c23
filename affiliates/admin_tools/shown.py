"""A text that people read, with the value that it tells."""

from __future__ import annotations

from typing import Self


class Shown(str):
    """Whoever needs the value itself, a file of a list for example, asks for it."""

    value: object

    @classmethod
    def of(cls, value: object, text: str) -> Self:
        shown = cls(text)
        shown.value = value
        return shown
