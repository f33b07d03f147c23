"""A CSV file that appears whole at the end, or stays as it was."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path

from affiliates.management.options import fault

WriteRow = Callable[[Iterable[str]], None]


@contextmanager
def csv_file(path: str | None, header: Sequence[str]) -> Iterator[WriteRow]:
    """Writes rows below the header; without a path, nowhere."""
    if path is None:
        yield lambda row: None
        return
    target = Path(path)
    with _as_fault(path):
        if target.is_dir():
            raise IsADirectoryError(EISDIR, "it is a folder")
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)

            def write_row(row: Iterable[str]) -> None:
                with _as_fault(path):
                    writer.writerow(row)

            write_row(header)
            yield write_row
            with _as_fault(path):
                file.close()
                os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def _as_fault(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise fault(f"{path} cannot be written: {error.strerror}.") from None
