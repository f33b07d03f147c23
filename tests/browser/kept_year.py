"""The demonstration's year, kept for an hour: seeding it takes as long as fifty tests.

It is seeded again on another day, and once a source of the product has changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from benchmarks.running import ROOT
from tests.browser.demo_server import (
    PORT,
    TRACKER,
    environment_of,
    files_beside,
    manage,
    migrate,
)

FOLDER = Path(tempfile.gettempdir())
NAME = f"affiliates-year-{os.getuid()}"
KEPT = timedelta(hours=1)
# What the rows are made from.
SOURCES = (
    *("affiliates/**/*.py", "portal/**/*.py", "requirements.txt"),
    *("tests/browser/demo_server.py", "tests/browser/kept_year.py"),
)


def copy_year(path: Path) -> None:
    """A copy at ``path``, with its files beside it. The first to come seeds; others who
    need it wait.
    """
    kept = FOLDER / f"{NAME}-{_digest()}" / "year.sqlite3"
    with (FOLDER / f"{NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_fresh(kept, datetime.now(tz=UTC)):
            _seed(kept)
        shutil.copyfile(kept, path)
        shutil.copytree(files_beside(kept), files_beside(path))


def environment_of_year(database: Path) -> dict[str, str]:
    return environment_of(port=PORT, database=database, tracker=TRACKER)


def _is_fresh(kept: Path, now: datetime) -> bool:
    if not kept.exists():
        return False
    seeded_at = datetime.fromtimestamp(kept.stat().st_mtime, tz=UTC)
    return seeded_at.date() == now.date() and now - seeded_at < KEPT


def _seed(kept: Path) -> None:
    for old in FOLDER.glob(f"{NAME}-*"):
        shutil.rmtree(old)
    kept.parent.mkdir()
    unfinished = kept.with_suffix(".unfinished")
    environment = environment_of_year(unfinished)
    migrate(unfinished)
    options = (f"--port={PORT}", f"--tracker={TRACKER}")
    manage("seed_demo", "--year", *options, environment=environment)
    unfinished.replace(kept)


@cache
def _digest() -> str:
    digest = hashlib.sha256()
    for pattern in SOURCES:
        for file in sorted(ROOT.glob(pattern)):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
