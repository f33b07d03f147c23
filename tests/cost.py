"""CPU seconds of each test, and in loops, so that machines compare.

A loop is ``run_loop``: 20 million additions. ``--costs=10`` prints the CPU by folder and
the ten dearest tests, ``--cost-limit`` fails the run for a test that takes four times
the limit. Tests that are `long` have no limit, nor have those of whole hosts, which start
processes.
``python -m tests.cost FILE`` prints the dearest tests of several runs with ``--costs-file``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any

import pytest

LIMIT_IN_LOOPS = 2
# A test takes up to 1.7 times as many loops in another run: what is above the limit is
# printed, and a run fails only for what no load explains.
FAILS_AT_LOOPS = 4 * LIMIT_IN_LOOPS
UNLIMITED = ("long", "site")
# A test that takes less is below the limit on any machine.
CHEAP_SECONDS = 0.8
# Limited tests above the limit, without their parameters: each has a reason.
DEAR: dict[str, str] = {
    "tests/portal/demo/test_seed.py::test_interrupted_year_is_not_taken_for_one": (
        "lives days of a year until it is interrupted"
    ),
    "tests/portal/demo/test_seed_load.py::test_copies_of_histories_agree_with_each_other": (
        "verifies all books of 200 orders"
    ),
    "tests/affiliates/emails/test_digests.py"
    "::test_three_hundred_orders_of_a_month_are_at_most_sixty_emails": (
        "sends in each hour of a month"
    ),
    "tests/affiliates/verification/test_deletions.py"
    "::test_each_is_found_by_the_rows_that_name_it": (
        "deletes a row of each table and verifies all books after it"
    ),
    "tests/affiliates/encrypted/test_rotation.py"
    "::test_rows_of_a_program_in_which_everything_happened_are_proved": (
        "lives through everything that can happen"
    ),
}
HEAD = "    loops     CPU s"
KEY = "costs"


class Costs:
    """Measures in each worker, and reports in the process that controls them.

    Fixtures of a wider scope than a function are counted apart: the first test that
    needs one would pay for all.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        # Seconds by test, and of a loop after it; 0 if it is cheap or has no limit.
        self.tests: dict[str, tuple[float, float]] = {}
        self.fixtures: Counter[str] = Counter()
        self.rest = 0.0
        self.workers = 0
        self.loop = 0.0
        self._shared = 0.0
        self._depth = 0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        began, shared = cpu_seconds(), self._shared
        result = yield
        spent = cpu_seconds() - began - (self._shared - shared)
        is_limited = all(item.get_closest_marker(name) is None for name in UNLIMITED)
        # Measured here, it grows with the load of the machine as the test did.
        is_dear = is_limited and spent > CHEAP_SECONDS
        loop = seconds_of(run_loop) if is_dear else 0.0
        self.tests[name_of(item)] = (spent, loop)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, Any, Any]:
        if fixturedef.scope == "function":
            return (yield)
        name, began, endings = fixturedef.argname, cpu_seconds(), []

        def count_ending() -> None:
            for seconds in endings:
                self._count(name, cpu_seconds() - seconds)

        # Finalizers run in reverse order: these two enclose the fixture's own.
        fixturedef.addfinalizer(count_ending)
        self._depth += 1
        try:
            result = yield
        finally:
            self._depth -= 1
            # Within the set-up of another fixture it is part of that one's.
            if not self._depth:
                self._count(name, cpu_seconds() - began)
        fixturedef.addfinalizer(lambda: endings.append(cpu_seconds()))
        return result

    def _count(self, name: str, seconds: float) -> None:
        self.fixtures[name] += seconds
        self._shared += seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_worker = hasattr(self.config, "workeroutput")
        if is_worker or not self.workers:
            measured = sum(seconds for seconds, _ in self.tests.values())
            self.rest = cpu_seconds() - measured - self.fixtures.total()
        if is_worker:
            costs = (self.tests, dict(self.fixtures), self.rest)
            self.config.workeroutput[KEY] = costs
            return
        self.loop = loop_seconds(self.workers or 1)
        if path := self.config.getoption("costs_file"):
            with Path(path).open("a", encoding="utf-8") as file:
                file.writelines(
                    f"{seconds:.3f} {test}\n"
                    for test, (seconds, _) in self.tests.items()
                )
        if self.config.getoption("cost_limit") and self._above(FAILS_AT_LOOPS):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receives the costs of a worker. One that crashed sends nothing."""
        empty = ({}, {}, 0.0)
        tests, fixtures, rest = getattr(node, "workeroutput", {}).get(KEY, empty)
        self.tests.update(tests)
        self.fixtures.update(fixtures)
        self.rest += rest
        self.workers += 1

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        if not self.loop:
            return
        count = self.config.getoption("costs")
        tests = {test: seconds for test, (seconds, _) in self.tests.items()}
        folders = by_folder(tests)
        folders["(shared fixtures)"] = self.fixtures.total()
        folders["(imports, collection and the rest)"] = self.rest
        for title, costs, length in (
            (f"CPU by folder; a loop takes {self.loop:.2f} s", folders, len(folders)),
            ("CPU of shared fixtures", self.fixtures, count),
            ("dearest tests", tests, count),
            (
                f"tests above {LIMIT_IN_LOOPS} loops",
                self._above(LIMIT_IN_LOOPS),
                len(tests),
            ),
        ):
            terminalreporter.section(title)
            for line in (HEAD, *table(costs, length, self.loop)):
                terminalreporter.write_line(line)

    def _above(self, loops: int) -> dict[str, float]:
        return {
            test: seconds
            for test, (seconds, loop) in self.tests.items()
            if loop and seconds > loops * max(loop, self.loop)
            if test.partition("[")[0] not in DEAR
        }


def cpu_seconds() -> float:
    """Returns the CPU used by this process and by the children that have ended."""
    usages = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def name_of(item: pytest.Item) -> str:
    """Returns the node id without the group that pytest-xdist appends."""
    file, _, name = item.location
    return f"{file}::{name}"


def by_folder(tests: Mapping[str, float]) -> Counter[str]:
    """Adds up to tests/affiliates/plans, say, and to tests for files beside the folders."""
    folders: Counter[str] = Counter()
    for test, seconds in tests.items():
        folders["/".join(Path(test.partition("::")[0]).parent.parts[:3])] += seconds
    return folders


def table(costs: Mapping[str, float], length: int, loop: float) -> list[str]:
    """Returns the dearest, one a line."""
    rows = sorted(costs.items(), key=lambda row: -row[1])[:length]
    return [f"{seconds / loop:9,.1f} {seconds:9,.2f}  {name}" for name, seconds in rows]


def loop_seconds(processes: int) -> float:
    """Returns the CPU seconds of a loop under the load of so many processes.

    More of them than cores take turns, which CPU seconds do not show.
    """
    count = min(processes, len(os.sched_getaffinity(0)))
    running = [
        subprocess.Popen(  # noqa: S603 - this module
            [sys.executable, __file__], stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    return sum(float(process.communicate()[0]) for process in running) / count


def best_loop() -> float:
    return min(seconds_of(run_loop) for _ in range(3))


def seconds_of(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


def run_loop() -> int:
    x = 0
    for i in range(20_000_000):
        x += i
    return x


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("costs")
    group.addoption("--costs", type=int, default=0, metavar="N", help="the N dearest")
    group.addoption("--cost-limit", action="store_true", help="fail for dear tests")
    group.addoption("--costs-file", default="", help="append each test's seconds to it")


if __name__ == "__main__":
    loop = best_loop()
    if not sys.argv[1:]:
        sys.stdout.write(f"{loop}\n")
    else:
        lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
        costs = {}
        for seconds, _, test in (line.partition(" ") for line in lines):
            costs[test] = max(float(seconds), costs.get(test, 0.0))
        sys.stdout.writelines(f"{line}\n" for line in (HEAD, *table(costs, 10, loop)))
