from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import needs
from tests.cases import each
from tests.needs import APT, NEEDS, NPM

ROOT = Path(__file__).resolve().parent.parent
CI = (ROOT / ".ci/run").read_text("utf-8")
# They run by targets of their own, and say themselves what they need.
PROGRAMS = (
    *("tests/cluster/", "tests/deploy/debian/", "tests/mutants/"),
    "tests/package/environments.py",
)


def test_ci_installs_every_program_or_the_table_says_why_not(monkeypatch):
    monkeypatch.setattr(needs, "find", lambda name: None)
    installed = {APT + package for package in needs.missing_packages()} | {NPM}

    assert 'missing="$("$python" -m tests.needs)"' in CI
    assert "install_debian_packages $missing" in CI
    assert NPM in CI
    assert "export CI=true" in CI
    assert {name for name in NEEDS if NEEDS[name].install not in installed} == {
        name for name in NEEDS if NEEDS[name].not_in_ci
    }


@each(
    ("ci", "name", "outcome"),
    [
        ("", "nginx", pytest.skip.Exception),
        ("", "promtool", pytest.skip.Exception),
        ("true", "nginx", pytest.fail.Exception),
        ("true", "tsc", pytest.fail.Exception),
        ("true", "promtool", pytest.skip.Exception),
    ],
)
def test_a_missing_program_skips_the_test_and_fails_it_in_ci(
    ci, name, outcome, monkeypatch
):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(needs, "find", lambda name: None)

    with pytest.raises(outcome, match=f"needs {name}: {NEEDS[name].install}"):
        needs.require(name)


def test_programs_are_looked_for_in_the_table_alone():
    elsewhere = re.compile(r"shutil\.which|/usr/s?bin/\w+\"|node_modules/\.bin")

    assert [
        path
        for path in (
            file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("*.py")
        )
        if not path.startswith((*PROGRAMS, "tests/needs.py", "tests/test_needs.py"))
        and elsewhere.search((ROOT / path).read_text("utf-8"))
    ] == []
