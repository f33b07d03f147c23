"""The table of mutants: each a fault of the code that named tests must notice."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """``text``, which ``file`` contains once, is replaced; then all ``tests`` must fail."""

    name: str
    file: str
    text: str
    becomes: str
    tests: tuple[str, ...]

    def occurrences(self, root: Path) -> int:
        path = root / self.file
        return path.read_text("utf-8").count(self.text) if path.is_file() else 0

    def apply(self, root: Path) -> None:
        path = root / self.file
        mutated = path.read_text("utf-8").replace(self.text, self.becomes)
        # The copy's files are links to files that other copies have too.
        path.unlink()
        path.write_text(mutated, "utf-8")


def read_mutants() -> list[Mutant]:
    table = Path(__file__).with_name("mutants.toml").read_text("utf-8")
    return [
        Mutant(**{**row, "tests": tuple(row["tests"])})
        for row in tomllib.loads(table)["mutant"]
    ]
