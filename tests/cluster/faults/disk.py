"""A disk of its own for the first primary, which can be full."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.cluster.faults.stand import Stand
from tests.cluster.files import NAMES
from tests.cluster.topology import DATABASE_USER, Cluster

SIZE = "4g"
# Less than a page of a table and an index: each statement that needs one fails.
LEFT_BYTES = 4096
# Statements that only change pages need none; a new segment of the log is 16 MB.
SEGMENTS = 4


def give_small_disk(cluster: Cluster) -> None:
    """In memory; where nothing may be mounted the primary shares the disk of all."""
    if why_no_small_disk():
        return
    folder = cluster.places.data(NAMES[0])
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "tmpfs", str(folder))
    cluster.at_end(lambda: _run("umount", str(folder)))
    shutil.chown(folder, DATABASE_USER, DATABASE_USER)


def why_no_small_disk() -> str:
    return "" if os.getuid() == 0 and shutil.which("mount") else "root, to mount a disk"


@contextmanager
def full_disk(stand: Stand) -> Iterator[None]:
    cluster = stand.cluster
    folder = cluster.places.data(NAMES[0])
    assert cluster.primary == NAMES[0]
    _resize(folder, str(_used(folder) + LEFT_BYTES))
    for _ in range(SEGMENTS):
        with suppress(RuntimeError):
            cluster.ask(cluster.primary, "SELECT pg_switch_wal()")
        time.sleep(1)
    yield
    _resize(folder, SIZE)
    if cluster.processes[cluster.primary].poll() is not None:
        cluster.start_database(cluster.primary)


def _used(folder: Path) -> int:
    told = os.statvfs(folder)
    return (told.f_blocks - told.f_bfree) * told.f_frsize


def _resize(folder: Path, size: str) -> None:
    _run("mount", "-o", f"remount,size={size}", str(folder))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own
