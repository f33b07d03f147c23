"""Tests the wheel as others install it, in every cell of the matrix: ``make matrix``.

A cell is a Python, a series of Django, the oldest or newest of every other dependency,
and a database. The smoke part runs first in all cells, then the bare host's tests in half of
them; in the oldest and the newest corner also the removal of each app and the examples, in
the newest the portal and the pages that are followed. Options choose a part of the matrix. ``--write`` stores what
passed and writes the table of docs/supported-versions.md; other cells stay as they were.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic

from docs.generate import VERSIONS, versions_page
from tests.package.cells import (
    AGES,
    CELLS,
    DATABASES,
    PYTHONS,
    SERIES,
    Cell,
    corner,
    read_results,
    write_results,
)
from tests.package.environments import (
    Environment,
    StepFailed,
    build_wheel,
    find_python,
)
from tests.package.parts import CELL_TESTS, CORNER_TESTS, suite

FOUND = [python for python in PYTHONS if find_python(python)]
PARTS = [*CELL_TESTS, *CORNER_TESTS["newest"]]


class Run:
    """Tests some cells. Those of one environment share it, one after the other."""

    def __init__(
        self, cells: Iterable[Cell], *, folder: Path, writes: bool, jobs: int
    ) -> None:
        self.is_faultless = True
        self._writes = writes
        self._jobs = jobs
        self._lock = Lock()
        wheel = build_wheel(folder / "dist")
        self._cells: dict[Environment, list[Cell]] = defaultdict(list)
        for cell in cells:
            self._cells[Environment.of(cell, wheel=wheel, folder=folder)].append(cell)

    def test(self, parts: Sequence[str]) -> None:
        for part in parts:
            act = self._test_cells if part in CELL_TESTS else self._test_corner
            with ThreadPoolExecutor(self._jobs) as pool:
                list(pool.map(partial(act, part), self._cells))

    def _test_cells(self, part: str, environment: Environment) -> None:
        for cell in self._cells[environment]:
            if part not in cell.parts:
                continue
            act = partial(CELL_TESTS[part], environment, cell.database)
            failed = self._fails(cell.name, part, environment, act)
            if self._writes:
                with self._lock:
                    _store(cell, part, failed, environment)

    def _test_corner(self, part: str, environment: Environment) -> None:
        """What does not depend on the database."""
        cell = corner(environment.age, FOUND)
        is_corner = cell.shares_environment(self._cells[environment][0])
        if is_corner and part in CORNER_TESTS[environment.age]:
            act = partial(CORNER_TESTS[environment.age][part], environment)
            self._fails(environment.name, part, environment, act)

    def _fails(
        self, name: str, part: str, environment: Environment, act: Callable[[], None]
    ) -> bool:
        began, outcome = monotonic(), "passed"
        try:
            if not environment.is_made:
                environment.make()
            act()
        except StepFailed as fault:
            self.is_faultless = False
            outcome = f"FAILED\n{fault}"
        say(f"{name}: {part} {outcome}, {monotonic() - began:.0f} s")
        return outcome != "passed"


def _store(cell: Cell, part: str, failed: bool, environment: Environment) -> None:
    results = read_results()
    before = results["cells"].get(cell.name, {})
    # The smoke part comes first: what passed before it is out of date.
    passed = {*before.get("passed", ())} - {part} if part != "smoke" else set()
    if not failed:
        passed.add(part)
    known = environment.versions(cell.database) if environment.is_made else {}
    results["cells"][cell.name] = {
        "passed": [one for one in CELL_TESTS if one in passed],
        "failed": part if failed else "",
        **known,
        "day": datetime.now(tz=UTC).date().isoformat(),
    }
    results["not_installed"] = [python for python in PYTHONS if python not in FOUND]
    write_results(results)


def _cells(options: argparse.Namespace) -> list[Cell]:
    if options.corner:
        return [corner(options.corner, FOUND)]
    return [
        cell
        for cell in CELLS
        if cell.python in options.python
        and cell.django in options.django
        and cell.age in options.age
        and cell.database in options.database
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.package")
    for name, values in (
        ("python", FOUND),
        ("django", list(SERIES)),
        ("age", AGES),
        ("database", DATABASES),
        ("part", PARTS),
    ):
        parser.add_argument(f"--{name}", nargs="+", choices=values, default=values)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once")
    parser.add_argument("--corner", choices=AGES, help="that cell alone")
    parser.add_argument(
        "--write", action="store_true", help="store and write the table"
    )
    parser.add_argument("--make", type=Path, help="make the corner there, test nothing")
    options = parser.parse_args()
    cells = _cells(options)
    absent = ", ".join(python for python in PYTHONS if python not in FOUND) or "none"
    say(f"{len(cells)} cells; not installed here: {absent}")
    if options.make:
        environment = suite(cells[0], options.make)
        say(f"{environment.name}: {environment.versions(cells[0].database)}")
        return
    with TemporaryDirectory() as folder:
        run = Run(cells, folder=Path(folder), writes=options.write, jobs=options.jobs)
        run.test(options.part)
    if options.write:
        VERSIONS.write_text(versions_page(), "utf-8")
    sys.exit(not run.is_faultless)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
