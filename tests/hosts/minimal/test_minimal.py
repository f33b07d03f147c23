"""A host with the core alone: small, quick to start, and complete."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.package.__main__ import MAX_PACKAGES
from tests.package.distributions import PROJECT, brought_by

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = "tests.hosts.minimal.settings"


def run(*command):
    done = subprocess.run(  # noqa: S603 - our own tests
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": SETTINGS, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize(
    "tests",
    ["tests/hosts/minimal/pages.py", "tests/hosts/flow.py", "tests/affiliates/api"],
)
def test_the_core_is_complete(tests):
    said = run("pytest", "-q", "-n", "0", f"--ds={SETTINGS}", "-m", "not long", tests)

    assert " passed" in said


def test_what_it_takes_to_start(capsys):
    taken = {
        apps: [float(one) for one in run("tests.hosts.minimal.measure", apps).split()]
        for apps in ("without", "core", "all")
    }

    with capsys.disabled():
        for apps, (seconds, megabytes) in taken.items():
            print(f"\n{apps:>8}: {seconds:.2f} s CPU, {megabytes:.0f} MB", end="")  # noqa: T201
    memory = {apps: megabytes for apps, (_, megabytes) in taken.items()}
    assert memory["without"] < memory["core"] < memory["all"]


def test_few_packages_come_along():
    packages = {"affiliates"} | brought_by(PROJECT["dependencies"])

    assert 5 < len(packages) <= MAX_PACKAGES, sorted(packages)
