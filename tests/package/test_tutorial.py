"""Pages show examples; ``make matrix`` follows the pages to the end."""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest

from tests.cases import each
from tests.needs import require
from tests.package.tutorial import HOSTING, OSCAR, follow, lay_out_portal

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = {"hosting": 300, "subscriptions": 300, "oscar": 300, "sidecar": 200}


def test_the_page_adds_to_the_example_what_makes_it_whole(tmp_path):
    lay_out_portal(tmp_path, HOSTING)

    left = {
        path.relative_to(tmp_path).as_posix()
        for path in tmp_path.rglob("*.py")
        if "affiliates" in path.read_text("utf-8") and path.name != "tests.py"
    }
    # Where the page shows only a part.
    assert left == {"hosting/views.py"}


def test_the_pages_of_oscar_add_everything_to_what_startproject_writes(tmp_path):
    lay_out_portal(tmp_path, OSCAR)

    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")}
    assert left == {
        "manage.py",
        "shop/__init__.py",
        "shop/checkout/__init__.py",
        "shop/settings.py",
        "shop/tests.py",
        "shop/urls.py",
    }
    written = [
        (tmp_path / f"shop/{name}.py").read_text("utf-8")
        for name in ("settings", "urls")
    ]
    assert [text for text in written if "oscar.apps" in text or "allauth" in text] == []


def test_the_page_shows_parts_that_are_there():
    parts = [block for block in HOSTING.blocks() if block.excerpt_of]

    assert len(parts) == 1
    assert [
        part.text
        for part in parts
        if part.text not in (HOSTING.example / part.excerpt_of).read_text("utf-8")
    ] == []


@each(("name", "most"), MAX_LINES.items())
def test_an_example_is_short(name, most):
    lines = [
        line
        for path in (ROOT / "examples" / name).rglob("*")
        if path.suffix in (".py", ".html") and path.parent.name != "migrations"
        if path.name != "tests.py"
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]

    assert len(lines) < most


@pytest.mark.parametrize("status", [0, 3])
def test_nothing_is_left_of_what_a_block_has_started(tmp_path, status):
    require("bash")
    held = tmp_path / "held"
    os.mkfifo(held)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    # As runserver does: a process that has one of its own.
    block = "bash -c 'sleep 120 & wait'"
    script = f"exec 3> {held}\n{{ {block}\n}} > answer 2>&1 &\nexit {status}"

    done = follow(script, folder=tmp_path, environment=dict(os.environ))

    # A pipe is at its end once nobody holds it who could write.
    ended, _, _ = select.select([reader], [], [], 20)
    assert (done.returncode, ended) == (status, [reader])
    assert os.read(reader, 1) == b""
    os.close(reader)
