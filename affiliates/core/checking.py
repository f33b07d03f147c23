"""Checks values from the host: their types, in words, and whether texts can be stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from moneyed import Money

_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    bool: "True or False",
    datetime: "a time with a time zone",
    Money: "an amount with a currency (Money)",
    NoneType: "None",
}


class Checked:
    """The base of a dataclass whose values must have the types of its annotations."""

    __slots__ = ()
    refusal: ClassVar[Callable[..., Exception]]

    def __post_init__(self) -> None:
        for name, fault in type_faults(self):
            place = f"{type(self).__name__}.{name}"
            raise self.refusal("invalid_type", f"{place} {fault}.", field=name)


def storable(text: str) -> str:
    """Replaces what PostgreSQL stores in no text: zero bytes and halves of characters."""
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.encode("utf-8", "replace").decode()


def type_faults(row: object) -> Iterator[tuple[str, str]]:
    """Yields the name and the fault of each field whose value has another type."""
    kind: Any = type(row)
    for name, hint in _hints(kind):
        value = getattr(row, name)
        if not _fits(value, hint):
            yield name, f"must be {_in_words(hint)}, not {_described(value)}"


@cache
def _hints(kind: type) -> list[tuple[str, Any]]:
    return list(get_type_hints(kind).items())


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (UnionType, Union):
        return any(_fits(value, part) for part in get_args(hint))
    if origin is tuple:
        item = get_args(hint)[0]
        return isinstance(value, tuple | list) and all(_fits(x, item) for x in value)
    if hint is datetime:
        return isinstance(value, datetime) and value.utcoffset() is not None
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return value in hint.__members__.values()
    return hint is Any or not isinstance(hint, type) or isinstance(value, hint)


def _in_words(hint: Any) -> str:
    if get_origin(hint) in (UnionType, Union):
        return " or ".join(map(_in_words, get_args(hint)))
    if get_origin(hint) is tuple:
        return f"a tuple of which each is {_in_words(get_args(hint)[0])}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return f"one of {', '.join(str(member.value) for member in hint)}"
    return _WORDS.get(hint, getattr(hint, "__name__", str(hint)))


def _described(value: Any) -> str:
    if isinstance(value, datetime):
        return "a time without a time zone"
    return f"{type(value).__name__} ({value!r:.40})"
