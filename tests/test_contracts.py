"""The kind of contract that permits lines of an external package."""

from __future__ import annotations

import pytest
from grimp import ImportGraph
from importlinter.configuration import configure

from tests.contracts import ForbiddenExceptContract

CHOICES = "from django.db.models import TextChoices"
CONTRACT = {
    "source_modules": ["own.rules"],
    "forbidden_modules": ["django"],
    "permitted_lines": [CHOICES, "from django.utils.translation import *"],
}


@pytest.mark.parametrize(
    ("_case", "lines", "is_kept"),
    [
        ("a permitted line", [CHOICES], True),
        ("a pattern", ["from django.utils.translation import gettext as _"], True),
        ("indented", [f"    {CHOICES}"], True),
        ("several", [CHOICES, "from django.utils.translation import ngettext"], True),
        ("more of the same module", [f"{CHOICES}, Model"], False),
        ("another module", ["from django.conf import settings"], False),
        ("the whole package", ["import django"], False),
        ("a forbidden one among them", [CHOICES, "import django"], False),
    ],
)
def test_only_permitted_lines_import_the_package(_case, lines, is_kept):
    graph = _graph("own.rules", lines)

    assert _contract().check(graph, verbose=False).kept is is_kept


@pytest.mark.parametrize(
    ("line", "is_kept"), [(CHOICES, True), ("from django.db import models", False)]
)
def test_imports_by_another_module_count_too(line, is_kept):
    graph = _graph("own.values", [line])
    graph.add_import(importer="own.rules", imported="own.values")

    assert _contract().check(graph, verbose=False).kept is is_kept


def _contract() -> ForbiddenExceptContract:
    configure()
    options = {"root_packages": ["own"], "include_external_packages": True}
    return ForbiddenExceptContract("pure", options, CONTRACT)


def _graph(importer: str, lines: list[str]) -> ImportGraph:
    graph = ImportGraph()
    for module in ("own", "own.rules", "own.values"):
        graph.add_module(module)
    graph.add_module("django", is_squashed=True)
    for number, line in enumerate(lines, start=1):
        graph.add_import(
            importer=importer,
            imported="django",
            line_number=number,
            line_contents=line,
        )
    return graph
