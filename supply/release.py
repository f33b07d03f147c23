"""Makes dist/: the wheel, the source archive, the bill of materials, the browser's script.

The same commit makes the same bytes, in any folder and at any time. ``SHA256SUMS`` lists
them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from affiliates import __version__
from supply.lock import ROOT, RUNTIME, locked
from supply.sbom import bill

SCRIPT = ROOT / "affiliates/static/affiliates/referral.js"
# What hatchling uses without a commit: it cannot be before 1980, where ZIP begins.
NO_COMMIT = 1_580_601_600


def release(folder: Path, *, source: Path = ROOT) -> None:
    """Replaces the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    made_at = committed_at()
    subprocess.run(  # noqa: S603 - words of this file
        [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(made_at)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    materials = bill(locked(RUNTIME), version=__version__, made_at=made_at)
    (folder / f"affiliates-{__version__}.cdx.json").write_text(
        f"{json.dumps(materials, indent=1)}\n", "utf-8"
    )
    shutil.copyfile(SCRIPT, folder / f"referral-{__version__}.js")
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(folder.iterdir())
    )
    (folder / "SHA256SUMS").write_text(sums, "utf-8")


def committed_at() -> int:
    """The moment of the commit, or of SOURCE_DATE_EPOCH, in seconds since 1970."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    git = shutil.which("git")
    if git is None:
        return NO_COMMIT
    asked = subprocess.run(  # noqa: S603 - words of this file
        [git, "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True
    )
    return int(asked.stdout) if asked.returncode == 0 else NO_COMMIT


if __name__ == "__main__":
    release(ROOT / "dist")
    sys.stdout.write((ROOT / "dist/SHA256SUMS").read_text("utf-8"))
