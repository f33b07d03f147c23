"""docs/another-biller.md is followed in an empty folder, and its example is the same."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.needs import require
from tests.package import tutorial
from tests.package.tutorial import SIDECAR

ROOT = Path(__file__).resolve().parents[2]
# What Django makes of an empty folder, to which the page adds.
STARTED = {"sidecar/settings.py", "sidecar/urls.py"}
INSTALLS = re.compile(r"(python3 -m venv|\. \.venv|pip install).*")


def test_the_page_shows_the_files_of_the_example():
    shown = {block.file: block.text for block in SIDECAR.blocks() if block.file}

    assert shown.keys() > STARTED
    for name in shown.keys() - STARTED:
        assert shown[name] == (SIDECAR.example / name).read_text("utf-8")


@pytest.mark.site
def test_the_page_leads_to_a_credited_order(tmp_path):
    """With this tree in place of the installed wheel."""
    require("bash")
    folder, answers = tmp_path / "empty", tmp_path / "answers"
    folder.mkdir()
    answers.mkdir()
    script = INSTALLS.sub(":", tutorial.script(answers, SIDECAR))
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": programs, "PYTHONPATH": str(ROOT), "HOME": str(folder)}

    done = tutorial.follow(script, folder=folder, environment=environment)

    assert done.returncode == 0, done.stdout + done.stderr
    assert tutorial.misprints(answers, SIDECAR) == []
