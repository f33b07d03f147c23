"""What a row of text means, or everything that is wrong with it. Pure."""

from __future__ import annotations

from affiliates.imports.rows import (
    ImportKind,
    ImportRow,
    ParseOptions,
    RowError,
    TextRow,
)


def parse(
    kind: ImportKind, row: TextRow, options: ParseOptions
) -> ImportRow | tuple[RowError, ...]:
    """The row's values, or its errors: those of reading it where there are any.

    Do not ask it of a row that is skipped.
    """
    raise NotImplementedError
