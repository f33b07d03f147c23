"""Tests the built wheel as others install it: ``make package && make test-package``.

For every supported Python on this machine, with the oldest and with the newest of what the
package allows: a clean virtual environment with the wheel in it, and outside the working
tree the minimal and the bare host's tests, the removal of each app from a filled host,
and the tests of the examples. Then, once for each Python, the tutorials from ``pip
install`` to the first commission: of a portal, and of django-oscar.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.package import tutorial

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
PYTHONS = ("python3.11", "python3.12", "python3.13")
# A host has to keep each of them up to date.
MAX_PACKAGES = 26
EXTRAS = "admin,payout-files,redis,spreadsheets,statements"
# With pip's words for what uv calls lowest-direct and highest.
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
# Of the tests that need no portal, those that meet every dependency.
TESTS = (
    "tests/hosts",
    "tests/affiliates/api/http",
    "tests/affiliates/payouts",
    "tests/affiliates/referrals",
    "tests/affiliates/settlement",
)
TEST_TOOLS = (
    "django-cors-headers",
    "django-environ",
    "factory_boy",
    "hypothesis",
    "jsonschema",
    "pytest",
    "pytest-django",
    "pytest-xdist",
    "time-machine",
)
KEYS = f"1:{b64encode(bytes(32)).decode()}"
EXAMPLES = ("hosting", "subscriptions", "oscar")


class Failed(Exception):
    """A step failed; the text is what it printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    python: str
    age: str
    wheel: Path

    def test(self) -> str:
        """Do all of it; return how long each part took. Raises Failed."""
        report, faults = [f"{self.python}, {self.age}:"], []
        with TemporaryDirectory() as folder:
            work = Path(folder)
            limits = self._limits(work)
            parts = [
                self._test_minimal_host,
                self._test_bare_host,
                self._take_apps_out,
                *map(self._example, EXAMPLES),
            ]
            if self.age == "newest":  # They install as pip does.
                parts += [self._follow_tutorial, self._follow_oscar]
            for part in parts:
                began = monotonic()
                try:
                    report.append(f"{part(work, limits)} {monotonic() - began:.0f} s")
                except Failed as fault:
                    faults.append(str(fault))
        if faults:
            raise Failed("\n".join([*report, *faults]))
        return " ".join(report)

    def _limits(self, work: Path) -> Path:
        """Which version of each package we name is to be taken."""
        limits = work / "limits.txt"
        _run(
            *(UV, "pip", "compile", "--quiet", "--no-deps", "--all-extras"),
            *("--python", self.python, "--resolution", RESOLUTIONS[self.age]),
            *("--output-file", limits, ROOT / "pyproject.toml"),
            cwd=work,
        )
        return limits

    def _install(self, venv: Path, limits: Path, *requirements: str) -> Path:
        _run(UV, "venv", "--quiet", "--python", self.python, venv, cwd=limits.parent)
        python = venv / "bin/python"
        _run(
            *(UV, "pip", "install", "--quiet", "--python", python),
            *("--constraint", limits, "--find-links", self.wheel.parent),
            *requirements,
            cwd=limits.parent,
        )
        return python

    def _test_minimal_host(self, work: Path, limits: Path) -> str:
        folder = work / "minimal"
        folder.mkdir()
        wheel = f"affiliates @ {self.wheel.as_uri()}"
        python = self._install(folder / "venv", limits, wheel)
        listed = _run(UV, "pip", "freeze", "--python", python, cwd=folder)
        if (count := len(listed.splitlines())) > MAX_PACKAGES:
            raise Failed(f"{count} packages come along:\n{listed}")
        _run(
            *(UV, "pip", "install", "--quiet", "--python", python),
            *("--constraint", limits, *pins(TEST_TOOLS)),
            cwd=folder,
        )
        shutil.copytree(ROOT / "tests", folder / "tests")
        shutil.copy(ROOT / "pyproject.toml", folder)
        _run(
            *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--override-ini", "filterwarnings=default"),
            *("--ds", "tests.hosts.minimal.settings"),
            *("tests/hosts/minimal/pages.py", "tests/hosts/flow.py"),
            cwd=folder,
        )
        return f"minimal host with {count} packages"

    def _test_bare_host(self, work: Path, limits: Path) -> str:
        wheel = f"affiliates[{EXTRAS}] @ {self.wheel.as_uri()}"
        python = self._install(work / "venv", limits, wheel, *pins(TEST_TOOLS))
        for folder in ("tests", "docs"):
            shutil.copytree(ROOT / folder, work / folder)
        shutil.copy(ROOT / "pyproject.toml", work)
        _run(
            *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--override-ini", "filterwarnings=default"),
            *("--ds", "tests.hosts.bare.settings", "-m", "not site"),
            # It serves the portal, by tools that are not copied.
            *("--ignore", "tests/hosts/test_asgi_servers.py", *TESTS),
            cwd=work,
        )
        return "bare host"

    def _take_apps_out(self, work: Path, limits: Path) -> str:
        """Each app in turn, of a filled host with all of them; after the bare host."""
        _run(
            *(work / "venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--override-ini", "filterwarnings=default"),
            *("--ds", "tests.hosts.bare.settings", "tests/hosts/test_removal.py"),
            cwd=work,
        )
        return "apps taken out"

    def _example(self, name: str) -> Callable[[Path, Path], str]:
        def test(work: Path, limits: Path) -> str:
            example = work / name
            shutil.copytree(ROOT / "examples" / name, example)
            needs = ("--requirement", str(example / "requirements.txt"))
            python = self._install(example / "venv", limits, *needs)
            environment = {
                "AFFILIATES_COOKIE_KEYS": KEYS,
                "STRIPE_WEBHOOK_SECRET": "whsec_of_the_tests",
            }
            _run(python, "manage.py", "test", cwd=example, **environment)
            return name

        return test

    def _follow_tutorial(self, work: Path, limits: Path) -> str:
        portal = work / "tutorial"
        tutorial.lay_out_portal(portal, tutorial.HOSTING)
        return f"tutorial, {self._follow(portal, tutorial.HOSTING)} lines,"

    def _follow_oscar(self, work: Path, limits: Path) -> str:
        shop = work / "shop"
        shop.mkdir()
        return f"django-oscar, {self._follow(shop, tutorial.OSCAR)} lines,"

    def _follow(self, folder: Path, pages: tutorial.Tutorial) -> int:
        answers = folder.with_name(f"{folder.name}-answers")
        answers.mkdir()
        script = tutorial.script(answers, pages).replace(
            "python3 -m", f"{self.python} -m"
        )
        # As the page asks for it.
        (folder / "dist").symlink_to(self.wheel.parent)
        _require(
            tutorial.follow(script, folder=folder, environment=clean_environment())
        )
        if misprints := tutorial.misprints(answers, pages):
            raise Failed("\n".join(misprints))
        return pages.written_lines()


def main() -> None:
    [wheel] = (ROOT / "dist").glob("*.whl")
    found = [python for python in PYTHONS if _is_there(python)]
    _say(f"Pythons: {', '.join(found)}")
    environments = [
        Environment(python=python, age=age, wheel=wheel)
        for python in found
        for age in RESOLUTIONS
    ]
    failed = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for tested in [pool.submit(one.test) for one in environments]:
            try:
                _say(tested.result())
            except Failed as error:
                failed = True
                _say(str(error))
    sys.exit(failed)


def _is_there(python: str) -> bool:
    """Asked of the program itself: a name may be there that leads to none."""
    if shutil.which(python) is None:
        return False
    done = subprocess.run([python, "--version"], capture_output=True)  # noqa: S603 - of the list above
    return done.returncode == 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def pins(names: Sequence[str]) -> list[str]:
    files = [ROOT / "requirements-dev.in", ROOT / "requirements.in"]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    return [line for line in lines if line.partition("==")[0] in names]


def clean_environment(**variables: str) -> dict[str, str]:
    """Without the packages and settings of the environment that this runs in."""
    foreign = ("VIRTUAL_ENV", "PYTHONPATH", "DJANGO_SETTINGS_MODULE", "PYTEST_ADDOPTS")
    return {
        name: value for name, value in os.environ.items() if name not in foreign
    } | {"UV_PYTHON_DOWNLOADS": "never", **variables}


def _run(*command: str | Path, cwd: Path, **variables: str) -> str:
    done = subprocess.run(  # noqa: S603 - words of this file
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
    )
    _require(done)
    return done.stdout


def _require(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        words = " ".join(done.args)
        raise Failed(f"{words}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")


if __name__ == "__main__":
    main()
