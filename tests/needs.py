"""Programs and fonts that tests use beyond `make environment`, and how each is installed.

`.ci/run` installs the Debian packages that `python -m tests.needs` prints, before the
virtual environment exists: nothing but the standard library is imported at the top.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

APT = "apt-get install "
NPM = "npm ci --prefix packages/referral"
MODULES = Path(__file__).resolve().parents[1] / "packages/referral/node_modules"


@dataclass(frozen=True)
class Need:
    """``not_in_ci`` is the reason why `.ci/run` does not install the program.

    ``file`` is the path of something that is no program.
    """

    install: str
    not_in_ci: str = ""
    file: str = ""


FONTS = "/usr/share/fonts"
NEEDS = {
    "DejaVuSans.ttf": Need(
        APT + "fonts-dejavu-core", file=f"{FONTS}/truetype/dejavu/DejaVuSans.ttf"
    ),
    "DroidSansFallback.ttf": Need(
        APT + "fonts-droid-fallback",
        file=f"{FONTS}-droid-fallback/truetype/DroidSansFallback.ttf",
    ),
    "bash": Need(APT + "bash"),
    "chromium": Need(APT + "chromium"),
    "chromium-headless-shell": Need(APT + "chromium-headless-shell"),
    "esbuild": Need(NPM),
    "msgcmp": Need(APT + "gettext"),
    "nginx": Need(APT + "nginx-light"),
    "node": Need(APT + "nodejs"),
    "npm": Need(APT + "npm"),
    "openssl": Need(APT + "openssl"),
    "pg_dump": Need(APT + "postgresql-client"),
    "promtool": Need(APT + "prometheus", not_in_ci="the package starts a server"),
    "systemd-analyze": Need(APT + "systemd"),
    "tsc": Need(NPM),
}
OTHER_NAMES = {"chromium": "chromium-browser"}


def find(name: str) -> str | None:
    """Returns the path of a program or file of the table."""
    if file := NEEDS[name].file:
        return file if Path(file).is_file() else None
    if NEEDS[name].install == NPM:
        return shutil.which(name, path=MODULES / ".bin")
    # Not every user's PATH names the folder of servers.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin"))
    names = (name, OTHER_NAMES.get(name, name))
    return next(filter(None, (shutil.which(each, path=path) for each in names)), None)


def require(name: str) -> str:
    """Returns the path of a program. Skips the test without it, and fails it in CI."""
    path = find(name)
    if path is None:
        import pytest

        need = NEEDS[name]
        is_accident = os.environ.get("CI") == "true" and not need.not_in_ci
        refuse = pytest.fail if is_accident else pytest.skip
        refuse(f"needs {name}: {need.install}")
    return path


def missing_packages() -> list[str]:
    """Returns the Debian packages that `.ci/run` has to install here."""
    return [
        need.install.removeprefix(APT)
        for name, need in NEEDS.items()
        if need.install.startswith(APT) and not need.not_in_ci and find(name) is None
    ]


if __name__ == "__main__":
    sys.stdout.write(" ".join(missing_packages()))
