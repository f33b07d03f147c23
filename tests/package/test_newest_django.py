"""Django 6.0 and the newest of all else, as docs/supported-versions.md claims of it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.needs import require
from tests.package.__main__ import KEYS, ROOT, TEST_TOOLS, UV, clean_environment, pins

pytestmark = pytest.mark.site

DJANGO = "Django>=6.0,<6.1"
PYTHON = "python3.13"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    venv = tmp_path_factory.mktemp("newest") / "venv"
    _run(UV, "venv", "--quiet", "--python", require(PYTHON), venv)
    _run(
        *(UV, "pip", "install", "--quiet", "--python", venv / "bin/python"),
        *(DJANGO, ROOT, *pins(TEST_TOOLS)),
    )
    return venv / "bin/python"


def test_a_sale_is_credited_with_the_newest_django(python, tmp_path):
    example = tmp_path / "hosting"
    shutil.copytree(ROOT / "examples/hosting", example)

    version = _run(python, "-m", "django", "--version").stdout
    tested = _run(python, "manage.py", "test", cwd=example, AFFILIATES_COOKIE_KEYS=KEYS)
    flow = _run(
        *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("--override-ini", "filterwarnings=default"),
        *("--ds", "tests.hosts.minimal.settings", "tests/hosts/flow.py"),
    )

    assert version.startswith("6.0.")
    assert tested.stderr.rstrip().split("\n")[-2] == "OK"
    assert " passed" in flow.stdout


def _run(
    *command: object, cwd: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(  # noqa: S603 - words of this file
        [str(part) for part in command],
        cwd=cwd,
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done
