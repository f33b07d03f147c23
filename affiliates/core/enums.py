"""Enumerations that carry the words people read."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from affiliates.core.language import gettext


def lower_first(label: str) -> str:
    """The label inside a sentence."""
    return label[0].lower() + label[1:]


class LabelledEnum(StrEnum):
    """A string enum whose members are written ``NAME = "value", "Label"``."""

    _label: str

    def __new__(cls, value: str, label: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member._label = label
        return member

    @property
    def label(self) -> str:
        """In the reader's language."""
        return gettext(self._label)

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        """As written: they are kept for readers of every language."""
        return [(member.value, member._label) for member in cls]
