"""Reads the lock: every package that is installed, with the digests of its files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNTIME = ROOT / "requirements.txt"
LOCKS = (RUNTIME, ROOT / "requirements-dev.txt")
_PACKAGE = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[\w,-]+\])?==(?P<version>[^\s;]+)(?P<rest>(?:.*\\\n)*.*)",
    re.MULTILINE,
)
_DIGEST = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """``name`` is normalised. ``digests`` are SHA-256, one for each file of the version."""

    name: str
    version: str
    digests: tuple[str, ...]


def locked(*locks: Path) -> list[Package]:
    """The packages of these locks, each once."""
    return sorted(
        {
            Package(
                found["name"], found["version"], tuple(_DIGEST.findall(found["rest"]))
            )
            for lock in locks
            for found in _PACKAGE.finditer(lock.read_text("utf-8"))
        }
    )
