"""The package for npm is what its sources make it, and its types say what it does."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import affiliates
from affiliates.api.http.schema import OwnSchemaGenerator
from tests.needs import require

PACKAGE = Path(__file__).resolve().parents[2] / "packages/referral"
STRICT = [
    "--strict",
    "--noEmit",
    "--skipDefaultLibCheck",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
]


def test_files_are_made_of_what_there_is():
    made = _make().files(OwnSchemaGenerator().get_schema())

    stale = [
        name
        for name, text in made.items()
        if (PACKAGE / name).read_text("utf-8") != text
    ]
    assert stale == [], "Run python packages/referral/make.py"


def test_package_holds_the_files_that_it_names():
    package = json.loads((PACKAGE / "package.json").read_text("utf-8"))
    exported = {
        file.removeprefix("./")
        for entry in package["exports"].values()
        for file in entry.values()
    }

    assert set(package["files"]) == exported
    assert [name for name in exported if not (PACKAGE / name).is_file()] == []
    assert "dependencies" not in package
    assert package["version"] == affiliates.__version__


def test_example_in_its_readme_has_the_right_types(tmp_path):
    require("node")
    compiler = require("tsc")
    readme = (PACKAGE / "README.md").read_text("utf-8")
    (tmp_path / "usage.ts").write_text(
        re.search(r"```ts\n(.*?)```", readme, re.DOTALL)[1], "utf-8"
    )
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/affiliates-referral").symlink_to(PACKAGE)

    run = subprocess.run(  # noqa: S603 - our own command
        [compiler, *STRICT, "--target", "es2022", "usage.ts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stdout) == (0, "")


def _make():
    spec = importlib.util.spec_from_file_location("make", PACKAGE / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
