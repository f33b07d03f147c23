"""Hook of mkdocs that writes what programs read: the Markdown of each page beside its
HTML, and llms.txt (https://llmstxt.org) with a link and a sentence for each page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SENTENCE = re.compile(r"(.+?)(?:\.(?=\s)|[.:]$)")
# What may stand before the prose: the title, what an app needs, a note, a picture.
BEFORE = ("# ", "**App:**", ">", "![")
# A list, a table, code, a heading.
NO_PROSE = ("- ", "1. ", "|", "```", "#")


def on_page_context(_: Any, *, page: Any, config: Any, nav: Any) -> None:
    site = Path(config.site_dir)
    _write(site / page.file.src_uri, page.markdown)
    if page.is_homepage:
        head = f"# {config.site_name}\n\n> {config.site_description}."
        _write(site / "llms.txt", "\n\n".join([head, *_sections(nav.items)]))


def first_sentence(markdown: str) -> str:
    """Returns the sentence that a page begins with, as plain text, or ""."""
    blocks = re.split(r"\n\s*\n", markdown.strip())
    first = next((block for block in blocks if not block.startswith(BEFORE)), "#")
    if first.startswith(NO_PROSE):
        return ""
    text = LINK.sub(r"\1", " ".join(first.split())).replace("**", "")
    return f"{match[1]}." if (match := SENTENCE.match(text)) else ""


def _sections(items: list[Any], *titles: str) -> Iterator[str]:
    """Yields the pages of a section as a list, then those of the sections in it."""
    if lines := [_line(item) for item in items if item.is_page]:
        heading = f"## {': '.join(titles)}\n\n" if titles else ""
        yield heading + "\n".join(lines)
    for item in items:
        if item.is_section:
            yield from _sections(item.children, *titles, item.title)


def _line(page: Any) -> str:
    """Raises PluginError for a page without a sentence of prose."""
    sentence = first_sentence(page.markdown)
    if not sentence:
        raise PluginError(f"{page.file.src_uri} begins with no sentence for llms.txt")
    return f"- [{page.title}]({page.file.src_uri}): {sentence}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text.strip()}\n", "utf-8")
