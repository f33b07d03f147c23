"""Processes as Linux counts them: their children, CPU time and resident memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
BYTES_PER_PAGE = os.sysconf("SC_PAGE_SIZE")

# Positions in /proc/PID/stat after the command's name.
_PARENT = 1
_USER_AND_SYSTEM = slice(11, 13)
_OF_CHILDREN_TOO = slice(11, 15)
_RESIDENT_PAGES = 21


def tree(root: int) -> list[int]:
    """The process and everything that descends from it."""
    parents = {
        pid: int(fields[_PARENT])
        for pid in (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())
        if (fields := _stat(pid))
    }
    found = [root]
    for pid in found:
        found.extend(child for child, parent in parents.items() if parent == pid)
    return found


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU used so far by these processes, their finished children left out."""
    return _sum_ticks(pids, _USER_AND_SYSTEM)


def tree_cpu_seconds(root: int) -> float:
    """CPU used so far by the process and all it ever started."""
    return _sum_ticks(tree(root), _OF_CHILDREN_TOO)


def resident_bytes(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[_RESIDENT_PAGES]) * BYTES_PER_PAGE if fields else 0


def is_postgresql(pid: int) -> bool:
    try:
        return b"postgres" in (PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return False


def _sum_ticks(pids: Iterable[int], fields: slice) -> float:
    ticks = sum(int(field) for pid in pids for field in _stat(pid)[fields])
    return ticks / TICKS_PER_SECOND


def _stat(pid: int) -> list[str]:
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended
        return []
    return text.rpartition(")")[2].split()
