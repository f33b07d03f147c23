"""Releases as an operator installs them: the tag's wheel, portal and locked packages."""

from __future__ import annotations

import io
import os
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from affiliates import __version__
from supply.lines import git
from supply.migrations import is_tagged, recorded
from tests.package.environments import UV, run

# What is to be released under the present version, until it is tagged.
PRESENT = "HEAD"


def releases() -> Iterator[str]:
    """What to upgrade from: every recorded release."""
    for version in recorded():
        yield PRESENT if version == __version__ and not is_tagged(version) else version


def install(release: str, folder: Path) -> Path:
    """Returns the Python of a virtual environment with the release, run in ``folder``.

    Its ``affiliates`` is the wheel's: the tree's own is taken away.
    """
    with tarfile.open(fileobj=io.BytesIO(_archive(release))) as tar:
        tar.extractall(folder, filter="data")
    python = folder / "venv/bin/python"
    run(sys.executable, "-m", "hatchling", "build", "--target=wheel", cwd=folder)
    (folder / "affiliates").rename(folder / "source_of_the_wheel")
    run(UV, "venv", "--quiet", "--python", sys.executable, "venv", cwd=folder)
    install = (UV, "pip", "install", "--quiet", "--python", python)
    run(*install, "--require-hashes", "--requirement=requirements.txt", cwd=folder)
    run(*install, "--no-deps", *(folder / "dist").glob("*.whl"), cwd=folder)
    return python


def _archive(release: str) -> bytes:
    archive = git("archive", "--format=tar", release) or git(
        "archive", "--format=tar", f"v{release}"
    )
    if not archive:
        fault = f"This clone has no tag {release} to upgrade from: git fetch --tags."
        pytest.fail(fault) if "CI" in os.environ else pytest.skip(fault)
    return archive
