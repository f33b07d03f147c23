"""The lock: exactly what the inputs ask for, with a digest for each file."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from supply.lock import LOCKS, ROOT, RUNTIME, Package, locked
from tests.cases import each

PIN = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)$", re.MULTILINE)


@each("lock", LOCKS)
def test_every_line_is_a_package_with_digests_or_one_of_them(lock):
    text = lock.read_text("utf-8")
    packages = locked(lock)

    assert all(package.digests for package in packages)
    assert len(packages) == len(re.findall(r"^[^#\s].*$", text, re.MULTILINE))
    assert sum(len(package.digests) for package in packages) == text.count("--hash=")
    assert "://" not in text


@each("lock", LOCKS)
def test_pins_of_the_input_are_locked(lock):
    """After a change of an input: make lock."""
    versions = {package.name: package.version for package in locked(lock)}
    inputs = {ROOT / "requirements.in", lock.with_suffix(".in")}
    pins = [pin for one in inputs for pin in PIN.findall(one.read_text("utf-8"))]

    assert {
        name: versions.get(canonicalize_name(name))
        for name, version in pins
        if versions.get(canonicalize_name(name)) != version
    } == {}


def test_every_input_pins_all_that_it_names():
    lines = [
        line
        for lock in LOCKS
        for line in lock.with_suffix(".in").read_text("utf-8").splitlines()
        if line and not line.startswith(("#", "-r requirements.in"))
    ]

    assert [line for line in lines if not re.search(r"==\S+$", line)] == []


def test_locks_agree():
    runtime = set(locked(RUNTIME))

    assert [lock.name for lock in LOCKS if not runtime <= set(locked(lock))] == []


def test_packages_that_the_wheel_needs_are_locked_within_its_ranges():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    [needed] = re.findall(
        r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL
    )
    ranges = [
        Requirement(one) for one in re.findall(r'^  "(.+)",$', needed, re.MULTILINE)
    ]
    versions = {package.name: package.version for package in locked(RUNTIME)}

    assert len(ranges) > 15
    assert [
        str(one)
        for one in ranges
        if not one.specifier.contains(versions.get(canonicalize_name(one.name), "0"))
    ] == []


def test_extras_markers_and_several_digests_are_read(tmp_path):
    digests = ("a" * 64, "b" * 64)
    lock = tmp_path / "lock.txt"
    lock.write_text(
        f"one[extra]==1.0 ; python_version < '3.12' \\\n    --hash=sha256:{digests[0]}"
        f" \\\n    --hash=sha256:{digests[1]}\n# comment\ntwo-b==2 \\\n"
        f"    --hash=sha256:{digests[0]}\n"
    )

    assert locked(lock) == [
        Package("one", "1.0", digests),
        Package("two-b", "2", digests[:1]),
    ]
