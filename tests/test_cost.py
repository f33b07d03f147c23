from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cost import DEAR, by_folder

ROOT = Path(__file__).resolve().parent.parent
CONFTEST = """
import time
import pytest
from tests import cost

pytest_addoption = cost.add_options
cost.loop_seconds = lambda processes: 0.1
cost.run_loop = lambda: spend(0.1)
cost.CHEAP_SECONDS = 0.2

def spend(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass

def pytest_configure(config):
    config.pluginmanager.register(cost.Costs(config))

@pytest.fixture(scope="module")
def world():
    spend(0.5)
    yield
    spend(0.5)

@pytest.fixture
def row():
    spend(0.9)
"""
TESTS = """
import pytest
from conftest import spend

def test_cheap(world): pass

def test_dear(row, world): pass

@pytest.mark.long
def test_long(): spend(0.3)

@pytest.mark.site
def test_host(): spend(0.3)
"""


@pytest.mark.site
def test_a_test_above_the_limit_fails_the_run_with_its_own_cpu_alone(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n long\n site\n", "utf-8")

    done = subprocess.run(  # noqa: S603 - ourselves
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-n", "1"),
            *("--costs=2", "--cost-limit", f"--costs-file={tmp_path}/costs"),
        ],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert "4 passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1
    assert re.search(r" 10\.\d +1\.0\d  world\n", done.stdout)
    dear = done.stdout.rpartition("tests above 2 loops")[2]
    assert re.findall(r"test_it\.py::(\w+)", dear) == ["test_dear"]
    costs = (tmp_path / "costs").read_text("utf-8")
    assert re.findall(r"(\d\.\d)\d+ test_it\.py::(\w+)", costs) == [
        ("0.0", "test_cheap"),
        ("0.9", "test_dear"),
        ("0.3", "test_long"),
        ("0.3", "test_host"),
    ]


def test_exceptions_are_few_and_exist():
    assert len(DEAR) <= 10
    for test in DEAR:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_folders_are_packages_of_the_product():
    tests = {
        "tests/affiliates/plans/deep/test_rules.py::test_a": 1.0,
        "tests/affiliates/plans/test_rules.py::test_b[a/b]": 2.0,
        "tests/portal/test_start.py::test_c": 4.0,
        "tests/test_docs.py::test_d": 8.0,
    }

    assert by_folder(tests) == {
        "tests/affiliates/plans": 3.0,
        "tests/portal": 4.0,
        "tests": 8.0,
    }
