"""Records the migrations of a release, before it is tagged: no later release changes them.

``python -m supply.migrations`` writes the digest of every migration that no earlier
release has, under the present version. A test compares the files with what is recorded.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.version import Version

from affiliates import __version__
from supply.lines import git
from supply.lock import ROOT

RECORDED = ROOT / "supply/migrations.json"
PATTERNS = ("affiliates/**/migrations/0*.py", "portal/migrations/0*.py")

# The digest of each file by its path.
Digests = Mapping[str, str]


def digests(root: Path = ROOT) -> Digests:
    """The SHA-256 of the bytes of every migration."""
    return {
        file.relative_to(root).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for pattern in PATTERNS
        for file in sorted(root.glob(pattern))
    }


def recorded() -> dict[str, Digests]:
    """By release, the first one first."""
    releases: dict[str, Digests] = json.loads(RECORDED.read_text("utf-8"))
    return releases


def faults(now: Digests, releases: Mapping[str, Digests]) -> Iterator[str]:
    for release, files in releases.items():
        for path, digest in files.items():
            if now.get(path) != digest:
                yield (
                    f"{path} of {release} {'changed' if path in now else 'is gone'}: "
                    "databases have applied it. Restore it, and add a new migration. "
                    f"(Until {release} is tagged: python -m supply.migrations)"
                )


def with_release(
    version: str, now: Digests, releases: Mapping[str, Digests]
) -> dict[str, Digests]:
    earlier = {
        key: files for key, files in releases.items() if Version(key) < Version(version)
    }
    known = {path for files in earlier.values() for path in files}
    new = {path: digest for path, digest in now.items() if path not in known}
    return {**earlier, version: new}


def is_tagged(version: str) -> bool:
    return git("tag", "--list", version, f"v{version}") != b""


if __name__ == "__main__":
    if is_tagged(__version__):
        sys.exit(
            f"{__version__} is tagged: raise the version in affiliates/__init__.py"
        )
    releases = with_release(__version__, digests(), recorded())
    RECORDED.write_text(f"{json.dumps(releases, indent=1)}\n", "utf-8")
