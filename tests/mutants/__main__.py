"""Applies each mutant of the table to a copy of the code and runs the tests it names.

``python -m tests.mutants [part of a name ...]``: the tests pass without a mutant, and with
it every test that it names fails. The working tree, uncommitted changes included, is copied
first and never changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.mutants.table import Mutant, read_mutants
from tests.working_tree import copy_working_tree

PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "-n", "0"),
    *("-p", "no:randomly", "-p", "no:cacheprovider"),
)
# Left out, so that the tests run on SQLite and in their order on every machine.
NOT_INHERITED = (
    *("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "LONG_TESTS", "PYTEST_ADDOPTS"),
)
# A mutant that cannot be run at all is noticed by every test, and shows nothing.
UNRUNNABLE = re.compile(
    r"^[E\s|]*(Import|ModuleNotFound|Name|Syntax|UnboundLocal)Error:", re.MULTILINE
)


def main() -> None:
    mutants = _chosen(sys.argv[1:])
    with TemporaryDirectory() as folder:
        original = Path(folder) / "original"
        copy_working_tree(original)
        if fault := _fault_without_mutant(original, mutants):
            sys.exit(f"Without a mutant: {fault}")
        # One waits for the disk and for imports while the other computes.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = pool.map(partial(_fault, original), mutants)
            failed = sum([_report(*one) for one in zip(mutants, faults, strict=True)])
    _say(f"{len(mutants) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


def _chosen(parts: Sequence[str]) -> list[Mutant]:
    mutants = [
        one
        for one in read_mutants()
        if not parts or any(part in one.name for part in parts)
    ]
    if not mutants:
        sys.exit(f"No mutant is named {' or '.join(parts)}.")
    return mutants


def _fault_without_mutant(original: Path, mutants: Iterable[Mutant]) -> str:
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    done, outcomes = _run(original, tests)
    if done.returncode or set(outcomes) != {"passed"}:
        return f"not every named test passes.\n{done.stdout[-6000:]}{done.stderr}"
    return ""


def _fault(original: Path, mutant: Mutant) -> str:
    """Why the mutant is not killed; empty if it is."""
    if (count := mutant.occurrences(original)) != 1:
        return f"its text occurs {count} times in {mutant.file}"
    copy = original.with_name(f"mutant-{id(mutant)}")
    shutil.copytree(original, copy, copy_function=os.link)
    mutant.apply(copy)
    done, outcomes = _run(copy, mutant.tests)
    shutil.rmtree(copy)
    if done.returncode == 1 and outcomes and set(outcomes) == {"failed"}:
        return ""
    if done.returncode < 2 and set(outcomes) <= {"failed", "passed"}:
        return f"{outcomes.count('passed')} of {len(outcomes)} tests pass"
    return f"its tests end otherwise, with code {done.returncode}.\n{done.stdout[-3000:]}{done.stderr}"


def _run(
    copy: Path, tests: Sequence[str]
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The run, and how each test of it ended: passed, failed or otherwise."""
    report = copy / "report.xml"
    environment = {
        name: value for name, value in os.environ.items() if name not in NOT_INHERITED
    }
    done = subprocess.run(  # noqa: S603 - words of the table
        [*PYTEST, f"--junitxml={report}", *tests],
        cwd=copy,
        env=environment | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
    )
    if not report.exists():
        return done, []
    cases = ElementTree.parse(report).iter("testcase")  # noqa: S314 - written by pytest
    return done, [_outcome(case) for case in cases]


def _outcome(case: ElementTree.Element) -> str:
    if len(case) == 0:
        return "passed"
    failure = case.find("failure")
    if failure is None or UNRUNNABLE.search(failure.text or ""):
        return "otherwise"
    return "failed"


def _report(mutant: Mutant, fault: str) -> bool:
    """Whether it was not killed."""
    _say(f"FAILED  {mutant.name}: {fault}" if fault else f"killed  {mutant.name}")
    return bool(fault)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
