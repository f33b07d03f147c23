"""Counts code lines by package, and what came and went since the last tag.

A code line is a line of a Python file that is neither empty nor only a comment.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("affiliates", "portal", "tests", "benchmarks", "supply", "docs", "examples")


def code_lines(text: str) -> int:
    lines = map(str.strip, text.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def by_package(files: Iterable[tuple[str, str]]) -> Counter[str]:
    """Adds up files, given as path and text."""
    counted: Counter[str] = Counter()
    for path, text in files:
        counted[path.partition("/")[0]] += code_lines(text)
    return counted


def files_now() -> Iterable[tuple[str, str]]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def files_of(tag: str) -> Iterable[tuple[str, str]]:
    archive = git("archive", "--format=tar", tag)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file and member.name.endswith(".py"):
                yield member.name, file.read().decode()


def last_tag() -> str:
    """Empty if nothing is tagged, or git is missing."""
    return git("describe", "--tags", "--abbrev=0").decode().strip()


def git(*command: str) -> bytes:
    """Returns the output, which is empty after a failure."""
    program = shutil.which("git")
    if program is None:
        return b""
    done = subprocess.run([program, *command], cwd=ROOT, capture_output=True)  # noqa: S603 - words of this file
    return done.stdout


def report(now: Counter[str], before: Counter[str], tag: str) -> list[str]:
    rows = [
        f"{now[package]:8,} {now[package] - before[package]:+8,}  {package}"
        if tag
        else f"{now[package]:8,}  {package}"
        for package in PACKAGES
    ]
    return [f"code lines{f', and since {tag}' if tag else ''}:", *rows]


if __name__ == "__main__":
    tag = last_tag()
    before = by_package(files_of(tag)) if tag else Counter()
    sys.stdout.writelines(
        f"{line}\n" for line in report(by_package(files_now()), before, tag)
    )
