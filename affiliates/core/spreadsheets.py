"""Texts from outside in files that a spreadsheet opens."""

from __future__ import annotations

from unicodedata import normalize

# A spreadsheet takes a cell that begins with one of these for a formula.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n")


def neutral_text(text: str) -> str:
    """Returns the text, quoted if a spreadsheet would take it for a formula.

    Full-width signs and signs after spaces count too: some programs read them alike.
    """
    start = normalize("NFKC", text.lstrip(" \u00a0\u3000")[:1])
    return f"'{text}" if start.startswith(FORMULA_SIGNS) else text
