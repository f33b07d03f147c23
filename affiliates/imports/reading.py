"""A file as rows of text, one after the other: it is never held as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from affiliates.imports.rows import ImportKind, Source, TextRow


def read_rows(
    file: BinaryIO, *, kind: ImportKind, source: Source = Source.OWN
) -> Iterator[TextRow]:
    """Its rows, read from the beginning; ``file`` can be sought in.

    Raises UnreadableFile, at the first row or when the damage is reached.
    """
    raise NotImplementedError
