"""Clean virtual environments with the built wheel, as others install it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from tests.package.cells import Cell

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
# A host has to keep each of them up to date.
MAX_PACKAGES = 26
EXTRAS = "admin,payout-files,redis,spreadsheets,statements"
# With pip's words for what uv calls lowest-direct and highest.
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
TEST_TOOLS = (
    "aiosmtpd",
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
DRIVER = "psycopg[binary]"
POSTGRESQL = os.environ.get("POSTGRES_URL", "postgres:///postgres")
# Printed by the environment itself, whichever database it asks.
VERSIONS = """
import platform, sqlite3, sys
import django, psycopg
if sys.argv[1] == "SQLite":
    database = sqlite3.sqlite_version
else:
    with psycopg.connect(sys.argv[2]) as connection:
        number = connection.info.server_version
        database = f"{number // 10000}.{number % 10000}"
print(platform.python_version(), django.get_version(), database)
"""


class StepFailed(Exception):  # noqa: N818 - says what happened
    """A command failed; the text is what it printed."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The wheel with Django of one series and the oldest or newest of all else."""

    python: str
    django: str
    age: str
    wheel: Path
    folder: Path

    @classmethod
    def of(cls, cell: Cell, *, wheel: Path, folder: Path) -> Self:
        """Returns the cell's, in a folder of its own below that folder."""
        own = folder / f"{cell.python}-{cell.django}-{cell.age}"
        return cls(
            python=cell.python,
            django=cell.django,
            age=cell.age,
            wheel=wheel,
            folder=own,
        )

    @property
    def name(self) -> str:
        return f"Python {self.python}, Django {self.django}, {self.age}"

    @property
    def interpreter(self) -> Path:
        return self.folder / "venv/bin/python"

    @cached_property
    def limits(self) -> Path:
        """The file with the version of each package that pyproject.toml needs."""
        self.folder.mkdir(parents=True, exist_ok=True)
        series = self.folder / "series.txt"
        series.write_text(f"Django=={self.django}.*\n", "utf-8")
        limits = self.folder / "limits.txt"
        run(
            *(UV, "pip", "compile", "--quiet", "--all-extras", "--no-annotate"),
            *("--python", find_python(self.python), "--constraint", series),
            *("--resolution", RESOLUTIONS[self.age], "--output-file", limits),
            ROOT / "pyproject.toml",
            cwd=self.folder,
        )
        return limits

    def make(self) -> None:
        """Installs the wheel alone, counts what came along, then adds the test tools."""
        self.install(f"affiliates @ {self.wheel.as_uri()}")
        freeze = run(UV, "pip", "freeze", "--python", self.interpreter, cwd=self.folder)
        if (count := len(freeze.splitlines())) > MAX_PACKAGES:
            raise StepFailed(f"{count} packages come along:\n{freeze}")
        self.install(*pins([*TEST_TOOLS, DRIVER]))
        for name in ("benchmarks", "docs", "tests"):
            shutil.copytree(ROOT / name, self.folder / name)
        shutil.copy(ROOT / "pyproject.toml", self.folder)

    @property
    def is_made(self) -> bool:
        return (self.folder / "pyproject.toml").exists()

    def add_extras(self, extras: str = EXTRAS) -> None:
        self.install(f"affiliates[{extras}] @ {self.wheel.as_uri()}")

    def install(self, *requirements: str, venv: str = "venv") -> Path:
        """Returns the interpreter of the virtual environment, made if there is none."""
        python = self.folder / venv / "bin/python"
        limits = self.limits
        if not python.exists():
            base = find_python(self.python)
            run(UV, "venv", "--quiet", "--python", base, python.parents[1], cwd=ROOT)
        run(
            *(UV, "pip", "install", "--quiet", "--python", python),
            *("--constraint", limits, "--find-links", self.wheel.parent),
            *requirements,
            cwd=self.folder,
        )
        return python

    def test(self, *options: str, settings: str, database: str = "SQLite") -> None:
        """Runs tests of the copied folder. A warning of a newer release is no fault."""
        run(
            *(self.interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--override-ini", "filterwarnings=default", "--disable-warnings"),
            *("--ds", settings, *options),
            cwd=self.folder,
            DATABASE_URL=self._url(database),
        )

    def versions(self, database: str) -> dict[str, str]:
        """Returns the exact versions of Python, Django and the database."""
        asked = (database, POSTGRESQL.replace("postgres:", "postgresql:", 1))
        said = run(self.interpreter, "-c", VERSIONS, *asked, cwd=self.folder)
        return dict(zip(("python", "django", "database"), said.split(), strict=True))

    def _url(self, database: str) -> str:
        """A database of its own: several environments are tested at once."""
        if database == "SQLite":
            return "sqlite://:memory:"
        own = f"{self.python}_{self.django}_{self.age}".replace(".", "_")
        parts = urlsplit(POSTGRESQL)
        path = f"{parts.path}_{own}"
        # Without a server's name, geturl() would leave the slashes before it out.
        query = f"?{parts.query}" if parts.query else ""
        return f"{parts.scheme}://{parts.netloc}{path}{query}"


def build_wheel(folder: Path) -> Path:
    run(
        *(sys.executable, "-m", "hatchling", "build", "--target", "wheel"),
        *("--directory", folder),
        cwd=ROOT,
    )
    [wheel] = folder.glob("*.whl")
    return wheel


@cache
def find_python(version: str) -> str:
    """Returns the path of a Python of the PATH or of pyenv, or "".

    It is asked itself: pyenv's shim of a version that is not chosen only fails.
    """
    installed = Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")
    for path in (shutil.which(f"python{version}"), *sorted(installed)):
        if path is not None:
            done = subprocess.run([path, "--version"], capture_output=True)  # noqa: S603 - of this list
            if done.returncode == 0:
                return str(path)
    return ""


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


def run(*command: object, cwd: Path, **variables: str) -> str:
    """Returns what the command printed. Raises StepFailed."""
    done = subprocess.run(  # noqa: S603 - words of this package
        [str(word) for word in command],
        cwd=cwd,
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
    )
    require(done)
    return done.stdout


def require(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        words = " ".join(done.args)
        raise StepFailed(f"{words}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
