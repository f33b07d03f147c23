"""The cells of the matrix, what was run of them, and what may be claimed.

``matrix.json`` holds the results. The table of docs/supported-versions.md is made from
it; test_claims.py compares every other claim with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("matrix.json")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Each series of Django with the first Python that it runs on.
SERIES = {"5.2": "3.11", "6.0": "3.12", "6.1": "3.12"}
AGES = ("oldest", "newest")
DATABASES = ("SQLite", "PostgreSQL")
# The bare host's tests take a minute: once for each environment, on this database.
FULL_DATABASE = {"oldest": "SQLite", "newest": "PostgreSQL"}
HEAD = """| Python | Django | {columns} | Run on |
|---|---|{rules}---|
"""


@dataclass(frozen=True, order=True, kw_only=True)
class Cell:
    python: str
    django: str
    age: str
    database: str

    @property
    def name(self) -> str:
        return f"{self.python} {self.django} {self.age} {self.database}"

    @property
    def parts(self) -> tuple[str, ...]:
        """What is tested in the cell."""
        has_host = FULL_DATABASE[self.age] == self.database
        return ("smoke", "host") if has_host else ("smoke",)

    def shares_environment(self, other: Cell) -> bool:
        return replace(self, database=other.database) == other


CELLS = [
    Cell(python=python, django=django, age=age, database=database)
    for python, django, age, database in product(PYTHONS, SERIES, AGES, DATABASES)
    if PYTHONS.index(python) >= PYTHONS.index(SERIES[django])
]


def corner(age: str, pythons: Iterable[str]) -> Cell:
    """Returns the oldest or newest combination that these Pythons can have."""
    choose = min if age == "oldest" else max
    python = choose(pythons, key=PYTHONS.index)
    django = choose(cell.django for cell in CELLS if cell.python == python)
    return Cell(python=python, django=django, age=age, database=FULL_DATABASE[age])


def read_results() -> dict[str, Any]:
    """``not_installed``: Pythons; ``cells``: by name, the parts passed, versions, day."""
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return results


def write_results(results: Mapping[str, Any]) -> None:
    """Writes a line for each cell, so that two runs compare."""
    lines = ",\n".join(
        f"  {json.dumps(cell.name)}: {json.dumps(results['cells'][cell.name])}"
        for cell in CELLS
        if cell.name in results["cells"]
    )
    missing = json.dumps(results["not_installed"])
    RESULTS.write_text(
        f'{{"not_installed": {missing},\n "cells": {{\n{lines}\n}}}}\n', "utf-8"
    )


def is_green(cell: Cell, results: Mapping[str, Any]) -> bool:
    """Whether all of its parts passed."""
    result = results["cells"].get(cell.name, {})
    return set(cell.parts) <= {*result.get("passed", ())}


def matrix() -> str:
    """Returns the table of docs/supported-versions.md, and the databases' versions."""
    results = read_results()
    return f"{table(results)}\nThe databases were {databases(results)}.\n"


def table(results: Mapping[str, Any]) -> str:
    """Returns the Markdown table: a row for each Python and series of Django."""
    columns = [(database, age) for database in DATABASES for age in AGES]
    names = " | ".join(f"{database}, {age}" for database, age in columns)
    rows = []
    for python, django in sorted({(cell.python, cell.django) for cell in CELLS}):
        cells = [
            Cell(python=python, django=django, age=age, database=database)
            for database, age in columns
        ]
        found = [results["cells"].get(cell.name) for cell in cells]
        absent = python in results["not_installed"]
        words = " | ".join(_word(one, is_absent=absent) for one in found)
        known = [one for one in found if one]
        rows.append(
            f"| {_all(known, 'python') or python} | {_all(known, 'django') or django} "
            f"| {words} | {_all(known, 'day')} |\n"
        )
    return HEAD.format(columns=names, rules="---|" * len(columns)) + "".join(rows)


def databases(results: Mapping[str, Any]) -> str:
    """Returns the versions of the databases that the cells ran on, as a sentence's end."""
    return " and ".join(
        f"{name} {_all(known, 'database')}"
        for name in DATABASES
        if (known := [one for key, one in results["cells"].items() if name in key])
    )


def _word(result: Mapping[str, Any] | None, *, is_absent: bool) -> str:
    if result is None:
        return "not installed here" if is_absent else "not run"
    if failed := result["failed"]:
        return f"**no**: {failed}"
    return ", ".join(result["passed"])


def _all(results: Iterable[Mapping[str, Any]], name: str) -> str:
    return ", ".join(
        sorted({result[name] for result in results if name in result}, key=_order)
    )


def _order(version: str) -> list[int]:
    return [int(number) for number in version.replace("-", ".").split(".")]
