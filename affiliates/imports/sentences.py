"""What is wrong with a row, in words for whoever mends the file."""

from __future__ import annotations

from collections.abc import Iterable

from affiliates.imports.rows import RowError


def sentences(errors: Iterable[RowError]) -> list[str]:
    """One for each error, in the language of the moment."""
    raise NotImplementedError
