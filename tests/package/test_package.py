"""What pip installs: every file of affiliates and nothing else, with all it imports."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
from email import message_from_string
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from affiliates import __version__
from tests.package.distributions import EXTRAS, PROJECT, brought_by
from tests.package.environments import DRIVER, TEST_TOOLS
from tests.package.environments import EXTRAS as TESTED_EXTRAS
from tests.package.parts import TESTS

ROOT = Path(__file__).resolve().parents[2]
NEEDED = [
    *PROJECT["dependencies"],
    *(one for extra in EXTRAS.values() for one in extra),
]
FILES = {
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "affiliates").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
# pyproject.toml says where they come from; hatchling adds the rest.
BESIDE_THE_CODE = {
    ".gitignore",
    "CHANGELOG.md",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
}
EXTRA_ROW = re.compile(r"^\| `([\w-]+)` \| .+ \| (.+) \|$", re.MULTILINE)
PIN = re.compile(r"^([\w-]+)(?:\[\w+\])?==(\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(  # noqa: S603 - words of this file
        [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    [path] = built.glob("*.whl")
    with ZipFile(path) as archive:
        yield archive


def test_a_wheel_holds_every_file_of_the_app_and_no_other(wheel):
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert names == FILES
    assert {
        "affiliates/py.typed",
        "affiliates/migrations/0001_base_1_0.py",
        "affiliates/static/affiliates/referral.js",
        "affiliates/templates/affiliates/admin/read_only_list.html",
    } <= names


def test_a_source_archive_builds_the_same_and_has_nothing_of_the_portal(built):
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert names == FILES | BESIDE_THE_CODE


def test_the_version_stands_in_one_place(wheel):
    [name] = [one for one in wheel.namelist() if one.endswith("/METADATA")]
    metadata = message_from_string(wheel.read(name).decode())
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## (\d\S+)", changelog, re.MULTILINE)

    assert metadata["Version"] == __version__
    # None before the first release.
    assert released[:1] in ([], [__version__])


def test_pages_name_the_wheel_that_is_built(built):
    [path] = built.glob("*.whl")
    pages = [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/*.md"),
    ]
    named = [
        name
        for page in pages
        for name in re.findall(
            r"dist/(affiliates-[\w.-]+\.whl)", page.read_text("utf-8")
        )
    ]

    assert len(named) > 4
    assert {*named} == {path.name}


def test_no_licence_is_chosen_for_the_owner(wheel):
    [name] = [one for one in wheel.namelist() if one.endswith("/METADATA")]
    metadata = message_from_string(wheel.read(name).decode())

    assert [key for key in metadata if key.startswith("License")] == []
    assert "Licence" in (ROOT / "README.md").read_text("utf-8")


def test_an_extra_is_described_with_what_it_brings():
    page = (ROOT / "docs" / "adapter.md").read_text("utf-8")

    assert dict(EXTRA_ROW.findall(page)) == {
        extra: ", ".join(Requirement(one).name for one in needed)
        for extra, needed in EXTRAS.items()
    }


def test_whatever_is_imported_is_declared():
    declared = {canonicalize_name(Requirement(one).name) for one in NEEDED}
    known = packages_distributions()

    undeclared = {
        module
        for module in _imported() - {"affiliates"} - sys.stdlib_module_names
        if not declared & {canonicalize_name(one) for one in known.get(module, ())}
    }

    assert undeclared == set()


COLLECT = """
import sys
import pytest
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


@pytest.mark.site
def test_the_tests_of_the_wheel_import_nothing_that_its_environment_lacks():
    installed = [one for extra in TESTED_EXTRAS.split(",") for one in EXTRAS[extra]]
    there = brought_by([*TEST_TOOLS, DRIVER, *PROJECT["dependencies"], *installed])
    missing = {canonicalize_name(name) for name in _pins()} - there
    hidden = [
        module
        for module, names in packages_distributions().items()
        if {canonicalize_name(name) for name in names} <= missing
    ]
    assert "granian" in hidden

    done = subprocess.run(  # noqa: S603 - words of this file
        [
            *(sys.executable, "-c", COLLECT, ",".join(hidden)),
            *("-p", "django", "-p", "xdist"),
            *("--ds", "tests.hosts.bare.settings", "-m", "not site", *TESTS),
        ],
        cwd=ROOT,
        env=os.environ
        | {
            "DATABASE_URL": "sqlite://:memory:",
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_portal_pins_what_the_package_allows():
    pins = {canonicalize_name(name): version for name, version in _pins().items()}
    # What comes with a pinned package has no pin of its own.
    indirect = {"asgiref", "babel", "py-moneyed"}
    ranges = {
        canonicalize_name((one := Requirement(text)).name): one for text in NEEDED
    }

    assert {
        str(one)
        for name, one in ranges.items()
        if name not in indirect and not one.specifier.contains(pins.get(name, "0"))
    } == set()


def _pins() -> dict[str, str]:
    return {
        name: version
        for file in ROOT.glob("requirements*.in")
        for name, version in PIN.findall(file.read_text("utf-8"))
    }


def _imported() -> set[str]:
    """The first names of every absolute import, wherever in a file it stands."""
    found = set()
    for path in (ROOT / "affiliates").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found
