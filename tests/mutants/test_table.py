"""Every mutant of the table still fits the code and the tests; ``make mutants`` runs them."""

from __future__ import annotations

import ast

import pytest

from tests.mutants.table import ROOT, Mutant, read_mutants

MUTANTS = read_mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=[one.name for one in MUTANTS])
def test_mutant_fits_the_code_and_names_tests_that_exist(mutant: Mutant):
    assert mutant.occurrences(ROOT) == 1
    assert mutant.becomes != mutant.text
    assert mutant.tests
    assert [test for test in mutant.tests if not _exists(test)] == []


def test_names_are_unique():
    assert len({one.name for one in MUTANTS}) == len(MUTANTS)


def _exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and name.partition("[")[0] in {
        node.name
        for node in ast.parse((ROOT / path).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
