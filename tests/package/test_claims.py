"""No version is claimed without a green cell of the matrix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.cases import each
from tests.package import cells
from tests.package.cells import (
    CELLS,
    PYTHONS,
    SERIES,
    Cell,
    corner,
    is_green,
    read_results,
    table,
    write_results,
)
from tests.package.distributions import PROJECT
from tests.package.parts import CELL_TESTS

ROOT = Path(__file__).resolve().parents[2]
README = re.compile(r"^Python (.+) and Django (.+): see", re.MULTILINE)
[DJANGO] = [
    one.specifier
    for text in PROJECT["dependencies"]
    if (one := Requirement(text)).name == "Django"
]
PASSED = {
    "passed": ["smoke", "host"],
    "failed": "",
    "python": "3.11.7",
    "django": "5.2.10",
    "database": "3.40.1",
    "day": "2026-11-29",
}


def claimed(kind: str) -> list[str]:
    words = (classifier.rpartition(" :: ") for classifier in PROJECT["classifiers"])
    return [version for begin, _, version in words if begin == kind]


def test_every_cell_of_what_is_claimed_is_green():
    pythons = claimed("Programming Language :: Python")
    series = claimed("Framework :: Django")
    results = read_results()

    assert pythons
    assert series
    assert [
        cell.name
        for cell in CELLS
        if cell.python in pythons and cell.django in series
        if not is_green(cell, results)
    ] == []


def test_smoke_passed_with_all_that_pip_installs():
    results = read_results()

    assert [
        cell.name
        for cell in CELLS
        if cell.python not in results["not_installed"]
        if DJANGO.contains(f"{cell.django}.1")
        if "smoke" not in results["cells"].get(cell.name, {"passed": []})["passed"]
    ] == []


def test_every_claim_is_the_same():
    pythons = [
        one for one in PYTHONS if one in claimed("Programming Language :: Python")
    ]
    series = [one for one in SERIES if one in claimed("Framework :: Django")]

    assert SpecifierSet(PROJECT["requires-python"]) == SpecifierSet(f">={pythons[0]}")
    assert DJANGO.contains(series[0])
    assert [one for one in series if not DJANGO.contains(f"{one}.1")] == []
    assert README.findall((ROOT / "README.md").read_text("utf-8")) == [
        (_range(pythons), _range(series))
    ]


def test_every_part_is_run_in_a_cell():
    assert {part for cell in CELLS for part in cell.parts} == set(CELL_TESTS)


@each(
    ("changes", "word"),
    [
        ({}, "smoke, host"),
        ({"passed": ["smoke"]}, "smoke"),
        ({"passed": ["smoke"], "failed": "host"}, "**no**: host"),
        ({"passed": [], "failed": "smoke"}, "**no**: smoke"),
    ],
)
def test_table_says_of_each_cell_what_passed(changes, word):
    cell = Cell(python="3.11", django="5.2", age="oldest", database="PostgreSQL")
    results = {"not_installed": ["3.14"], "cells": {cell.name: PASSED | changes}}

    rows = table(results).splitlines()

    assert rows[0].startswith("| Python | Django | SQLite, oldest | SQLite, newest |")
    assert rows[2] == (
        f"| 3.11.7 | 5.2.10 | not run | not run | {word} | not run | 2026-11-29 |"
    )
    assert rows[-1] == f"| 3.14 | 6.1 |{' not installed here |' * 4}  |"


def test_versions_and_days_of_a_row_are_in_their_order():
    names = [f"3.11 5.2 {age} SQLite" for age in ("newest", "oldest")]
    later = PASSED | {"django": "5.2.9", "day": "2026-12-01"}
    results = {
        "not_installed": [],
        "cells": dict(zip(names, [PASSED, later], strict=True)),
    }

    assert table(results).splitlines()[2] == (
        "| 3.11.7 | 5.2.9, 5.2.10 | smoke, host | smoke, host | not run | not run "
        "| 2026-11-29, 2026-12-01 |"
    )


@each(
    ("age", "pythons", "python", "django"),
    [
        ("oldest", ["3.11", "3.12"], "3.11", "5.2"),
        ("oldest", ["3.13"], "3.13", "5.2"),
        ("newest", ["3.11"], "3.11", "5.2"),
        ("newest", ["3.12", "3.11"], "3.12", "6.1"),
    ],
)
def test_a_corner_is_of_the_pythons_that_are_there(age, pythons, python, django):
    cell = corner(age, pythons)

    assert (cell.python, cell.django, cell.age) == (python, django, age)


def test_results_are_stored_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "RESULTS", tmp_path / "matrix.json")
    results = {"not_installed": ["3.14"], "cells": {CELLS[0].name: PASSED}}

    write_results(results)

    assert read_results() == results


@pytest.mark.parametrize(
    "name", ["Programming Language :: Python", "Framework :: Django"]
)
def test_what_is_claimed_is_in_the_matrix(name):
    assert set(claimed(name)) - {"3 :: Only"} <= {*PYTHONS, *SERIES}


def _range(versions: list[str]) -> str:
    return " to ".join(dict.fromkeys((versions[0], versions[-1])))
