"""Enumerations that carry the words people read."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


def lower_first(label: str) -> str:
    """The label inside a sentence."""
    return label[0].lower() + label[1:]


class LabelledEnum(StrEnum):
    """A string enum whose members are written ``NAME = "value", "Label"``."""

    label: str

    def __new__(cls, value: str, label: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        return [(member.value, member.label) for member in cls]
