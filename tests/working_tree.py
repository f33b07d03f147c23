"""The working tree as git knows it, for what runs on a copy."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from benchmarks.running import ROOT

LISTED = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")


def copy_working_tree(target: Path) -> None:
    """Copies every file that is not ignored, committed or not."""
    names = subprocess.run(LISTED, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603 - words of this file
    for name in filter(None, names.stdout.split("\0")):
        # A deleted file is listed until its deletion is staged.
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
