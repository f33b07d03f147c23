"""Pages of docs/ are short, and programs can read the built site."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.apps import apps

from affiliates import APPS
from docs.llms import first_sentence
from tests.cases import each

# The site is built once.
pytestmark = pytest.mark.xdist_group("pages")
ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
MAX_LINES = 300
ENTRY = re.compile(r"- \[[^\]]+\]\(([^)]+)\): \S.*\.")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
APP_ROW = re.compile(r"^\| `([\w.]+)` \| `(\w+)` \| .+ \| (.+) \|$", re.MULTILINE)
NEEDS_NOTHING = "**App:** `a.b` (label `a_b`). **Needs:**\nnothing.\n\n"
SENTENCES = [
    ("two sentences", "# Title\n\nThe first. The second.\n", "The first."),
    (
        "over two lines",
        "# Title\n\nA line\nand another. More.\n",
        "A line and another.",
    ),
    ("before code", "# Title\n\nCall it:\n\n```\ncall\n```\n", "Call it."),
    ("links", "# Title\n\nIt is [a page](a.md#b) of ours.", "It is a page of ours."),
    ("bold", "# Title\n\n**Nothing is released.** More.", "Nothing is released."),
    ("a dot in a name", "# Title\n\nRead `a.md` first. More.", "Read `a.md` first."),
    ("an app's page", f"# Title\n\n{NEEDS_NOTHING}It works.\n", "It works."),
    (
        "after a note",
        "# Title\n\n> Untried.\n\n![A picture](a.png)\n\nIt is.",
        "It is.",
    ),
    ("begins with steps", "# Title\n\n1. Open it.\n\n**Then** it is open.\n", ""),
    ("begins with a heading", "# Title\n\n## Part\n\nIt works.\n", ""),
    ("begins with a table", "# Title\n\n| A | B |\n|---|---|\n\nIt works.\n", ""),
    ("the title alone", "# Title\n", ""),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        check=True,
    )
    return folder


def test_no_page_is_too_long():
    lines = {page: len((DOCS / page).read_text().splitlines()) for page in PAGES}

    assert {page: number for page, number in lines.items() if number > MAX_LINES} == {}


@each(("_case", "markdown", "sentence"), SENTENCES)
def test_first_sentence(markdown, sentence):
    assert first_sentence(markdown) == sentence


def test_llms_txt_lists_each_page_of_the_navigation_once(site):
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    [title, _, quote, *rest] = (site / "llms.txt").read_text("utf-8").splitlines()
    entries = [ENTRY.fullmatch(line) for line in rest if line.startswith("- ")]

    assert title == "# affiliates"
    assert re.fullmatch(r"> \w.+\.", quote)
    assert len(entries) > 80
    assert sorted(entry[1] for entry in entries) == sorted(_paths(navigation))


def _paths(navigation: Any) -> Iterator[str]:
    if isinstance(navigation, str):
        yield navigation
    else:
        for item in navigation:
            yield from _paths(item if isinstance(item, str) else [*item.values()][0])


def test_each_page_has_its_markdown_beside_its_html(site):
    html = {
        page: page.replace("README", "index").removesuffix("md") + "html"
        for page in PAGES
    }

    assert (
        sorted(one.relative_to(site).as_posix() for one in site.rglob("*.md")) == PAGES
    )
    assert [page for page, name in html.items() if not (site / name).exists()] == []


def test_links_between_the_markdown_lead_to_files(site):
    links = [
        (page.relative_to(site).as_posix(), target, (page.parent / target).is_file())
        for page in [site / "llms.txt", *site.rglob("*.md")]
        for target in LINK.findall(page.read_text("utf-8"))
    ]

    assert len(links) > 500
    assert [(page, target) for page, target, leads in links if not leads] == []


def test_the_apps_are_listed_with_their_labels_and_what_they_need():
    rows = APP_ROW.findall((DOCS / "adapter-reference.md").read_text("utf-8"))
    listed = {
        name: (label, set(re.findall(r"\w+", needs)) - {"nothing"})
        for name, label, needs in rows
    }

    assert len(rows) == len(listed)
    assert listed.keys() == set(APPS)
    for config in apps.get_app_configs():
        if config.name in listed:
            needed = {name.rpartition(".")[2] for name in getattr(config, "needs", ())}
            assert listed[config.name] == (config.label, needed)
