"""What docs/architecture.md says of the code's places is so."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

from django.apps import apps

from affiliates import APPS, SEAM

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")
CODE = [
    path
    for package in ("affiliates", "portal")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "migrations" not in path.parts
]
MAX_FILE = 300
MAX_FUNCTION = 50
MAX_FILES_IN_A_PACKAGE = 14
TEMPLATE_OR_STATIC = re.compile(
    r"""["'](affiliates/[\w/]+\.html)["']|static "(affiliates/[\w/]+\.\w+)\""""
)
# Every app has these of Django and of ours.
OF_APPS = {"__init__.py", "affiliates_hooks.py", "apps.py"}


def test_every_question_and_every_file_to_read_names_what_it_defines():
    rows = re.findall(
        r"^\| ([^|]+\?) \| `([^`|]+)` \| `([^`|]+)` \|$", PAGE, re.MULTILINE
    )
    steps = re.findall(r"^(\d+)\. `([^`]+)`: `(\w+)`$", PAGE, re.MULTILINE)
    rows += [(step, f"affiliates/{file}", name) for step, file, name in steps]

    assert len(steps) > 20
    assert len(rows) >= 20 + len(steps)
    assert [
        (question, name)
        for question, file, name in rows
        if not (ROOT / file).is_file() or name not in _names(ROOT / file)
    ] == []


def test_every_package_is_described():
    packages = {
        path.parent.name
        for path in (ROOT / "affiliates").glob("*/__init__.py")
        if path.parent.name != "migrations"
    }

    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == packages


def test_no_file_and_no_function_is_too_long():
    long_files = [path for path in CODE if _lines(path) > MAX_FILE]
    long_functions = [
        f"{path}:{node.name}"
        for path in CODE
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION
    ]

    assert (long_files, long_functions) == ([], [])


def test_no_package_is_a_heap_of_files():
    heaps = [
        package
        for package in {path.parent for path in CODE if path.parts[-2] != "commands"}
        if package.is_relative_to(ROOT / "affiliates")
        and package != ROOT / "affiliates"
        and len({one.name for one in package.glob("*.py")} - OF_APPS)
        > MAX_FILES_IN_A_PACKAGE
    ]

    assert heaps == []


def test_an_app_uses_templates_and_files_only_of_apps_that_it_needs():
    unneeded = []
    for app in APPS:
        needs = getattr(apps.get_app_config(app.replace(".contrib.", "_")), "needs", ())
        unneeded += [
            (app, name)
            for path in sorted((ROOT / app.replace(".", "/")).rglob("*.*"))
            if path.suffix in {".html", ".py"}
            for names in TEMPLATE_OR_STATIC.findall(path.read_text("utf-8"))
            for name in filter(None, names)
            if not any(_has(one, name) for one in ("affiliates", app, *needs))
        ]

    assert unneeded == []


def test_contracts_make_no_exception():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]

    assert [rule["id"] for rule in contracts if "ignore_imports" in rule] == []


def test_hosts_are_promised_at_most_twenty_modules_and_tests_one():
    modules = [f"affiliates.{name}" for name in SEAM]

    assert len(modules) <= 20 + 1
    assert [name for name in modules if find_spec(name) is None] == []


def _names(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def _has(app: str, name: str) -> bool:
    folder = ROOT / app.replace(".", "/")
    return any((folder / kind / name).is_file() for kind in ("templates", "static"))
