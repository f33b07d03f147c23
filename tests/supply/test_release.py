"""dist/ is the same bytes each time, and says what is in it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from affiliates import __version__
from supply.lock import ROOT, RUNTIME, Package, locked
from supply.release import SCRIPT, committed_at, release
from supply.sbom import bill

MOMENT = 1_772_366_400  # 2026-03-01 12:00 UTC
SOURCES = ("affiliates", "CHANGELOG.md", "README.md", "pyproject.toml", ".gitignore")


@pytest.fixture
def _moment(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(MOMENT))


@pytest.mark.site
@pytest.mark.usefixtures("_moment")
def test_two_builds_in_different_folders_are_the_same_bytes(tmp_path):
    other = copy_of_the_sources(tmp_path / "elsewhere/deeper")
    release(tmp_path / "first")

    release(tmp_path / "second", source=other)

    first, second = (digests(tmp_path / name) for name in ("first", "second"))
    assert first == second
    assert sorted(first) == sorted(
        [
            "SHA256SUMS",
            f"affiliates-{__version__}-py3-none-any.whl",
            f"affiliates-{__version__}.cdx.json",
            f"affiliates-{__version__}.tar.gz",
            f"referral-{__version__}.js",
        ]
    )


@pytest.mark.usefixtures("_moment")
def test_sums_are_those_of_the_files(tmp_path):
    release(tmp_path)

    listed = dict(
        reversed(line.split("  "))
        for line in (tmp_path / "SHA256SUMS").read_text().splitlines()
    )

    found = digests(tmp_path)
    del found["SHA256SUMS"]
    assert listed == found
    assert (tmp_path / f"referral-{__version__}.js").read_bytes() == SCRIPT.read_bytes()
    materials = json.loads(
        (tmp_path / f"affiliates-{__version__}.cdx.json").read_text()
    )
    assert materials == bill(locked(RUNTIME), version=__version__, made_at=MOMENT)
    assert len(materials["components"]) > 60


@pytest.mark.usefixtures("_moment")
def test_description_has_no_link_into_a_working_tree(tmp_path):
    release(tmp_path)

    [wheel] = tmp_path.glob("*.whl")
    with ZipFile(wheel) as files:
        [name] = [name for name in files.namelist() if name.endswith("/METADATA")]
        described = files.read(name).decode()
    assert "# Affiliate tracking for client areas\n" in described
    assert re.findall(r"\]\((?!https?:)[^)]*\)", described) == []


def test_moment_is_that_of_the_commit(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)

    assert committed_at() > 1_577_836_800


def test_bill_names_each_package_with_its_digests():
    digest = "a" * 64

    materials = bill(
        [Package("django", "5.2", (digest,))], version="2.0", made_at=MOMENT
    )

    assert materials == {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": "2026-03-01T12:00:00+00:00",
            "component": {
                "type": "library",
                "bom-ref": "pkg:pypi/affiliates@2.0",
                "name": "affiliates",
                "version": "2.0",
                "purl": "pkg:pypi/affiliates@2.0",
            },
        },
        "components": [
            {
                "type": "library",
                "bom-ref": "pkg:pypi/django@5.2",
                "name": "django",
                "version": "5.2",
                "purl": "pkg:pypi/django@5.2",
                "externalReferences": [
                    {
                        "type": "distribution",
                        "url": "https://pypi.org/project/django/5.2/",
                        "hashes": [{"alg": "SHA-256", "content": digest}],
                    }
                ],
            }
        ],
        "dependencies": [
            {
                "ref": "pkg:pypi/affiliates@2.0",
                "dependsOn": ["pkg:pypi/django@5.2"],
            }
        ],
    }


def copy_of_the_sources(folder: Path) -> Path:
    """Written at another time, and readable by their owner alone."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(source, folder / name)
    for path in folder.rglob("*"):
        os.utime(path, (MOMENT, MOMENT))
        path.chmod(0o700 if path.is_dir() else 0o600)
    return folder


def digests(folder: Path) -> dict[str, str]:
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.iterdir()
    }
