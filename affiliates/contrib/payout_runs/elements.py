"""Reads the elements of ISO 20022 files, in the namespace of any version."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element


def name_of(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def path_of(*names: str) -> str:
    return "/".join(f"{{*}}{name}" for name in names)


def inside(name: str) -> str:
    """The path of such elements at any depth."""
    return f".//{{*}}{name}"


def text_of(element: Element, *path: str) -> str:
    return (element.findtext(path_of(*path)) or "").strip()


def word_of(element: Element, *path: str) -> str:
    """A code or an indicator, in capitals."""
    return text_of(element, *path).upper()


def money_of(amount: Element | None) -> tuple[str, str]:
    """The amount as written, and its currency."""
    if amount is None:
        return "", ""
    return (amount.text or "").strip(), amount.attrib.get("Ccy", "")


def number_of(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def reasons_of(element: Element, *path: str) -> str:
    """All codes and sentences of the bank: "AC04 Account closed"."""
    texts = (text for part in element.findall(path_of(*path)) for text in _texts(part))
    return " ".join(dict.fromkeys(texts))


def _texts(part: Element) -> Iterator[str]:
    yield from filter(None, (text_of(part, "Rsn", kind) for kind in ("Cd", "Prtry")))
    for sentence in part.findall(path_of("AddtlInf")):
        if text := (sentence.text or "").strip():
            yield text
