"""A host with the core alone: small, quick to start, and complete."""

from __future__ import annotations

import pytest

from tests.hosts.running import run, run_tests
from tests.lengths import times
from tests.package.distributions import PROJECT, brought_by
from tests.package.environments import MAX_PACKAGES

pytestmark = pytest.mark.site

SETTINGS = "tests.hosts.minimal.settings"
ENDPOINTS = [
    f"tests/affiliates/api/test_{name}.py"
    for name in ("visits", "arrivals", "completion", "conversion", "conversion_moments")
]


@pytest.mark.parametrize(
    "tests",
    [
        ["tests/hosts/minimal/pages.py", "tests/hosts/flow.py"],
        [*times(ENDPOINTS, long=["tests/affiliates/api"]), "-m", "not long"],
    ],
)
def test_the_core_is_complete(tests):
    assert " passed" in run_tests(*tests, settings=SETTINGS)


def test_what_it_takes_to_start(capsys):
    taken = {
        apps: [
            float(one)
            for one in run(
                "tests.hosts.minimal.measure", apps, settings=SETTINGS
            ).split()
        ]
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
