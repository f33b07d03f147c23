"""Hooks of mkdocs. What a page links to outside docs/ is named, but not linked: in the
repository such links lead to the code. A page that loads parts from elsewhere is refused.
The search finds how-tos first, and no decision records. What the theme leaves without a
name for screen readers gets one.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from mkdocs.exceptions import PluginError

# Readers search for what they want to do.
SEARCH = {"decisions": {"exclude": True}, "how-to": {"boost": 4}}
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)")
FOREIGN = re.compile(
    r"<(?:script|img|iframe)\b[^>]*?\ssrc=\"?((?:https?:)?//[^\s\">]+)"
    r"|<link\b(?=[^>]*stylesheet)[^>]*?\shref=\"?((?:https?:)?//[^\s\">]+)"
)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    folder = posixpath.dirname(page.file.src_uri)
    page.meta.setdefault("search", SEARCH.get(folder, {}))

    def inside(match: re.Match[str]) -> str:
        text, target = match.groups()
        path = posixpath.normpath(posixpath.join(folder, target))
        return text if path.startswith("..") else match[0]

    return LINK.sub(inside, markdown)


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    """Raises PluginError for what a reader's browser would ask another server for."""
    found = FOREIGN.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} loads {found[1] or found[2]}")
    return named(output)


def on_post_template(output_content: str, **_: Any) -> str:
    return named(output_content)


def named(output: str) -> str:
    """Returns the page with the search named, and an empty corner as no heading."""
    output = output.replace('role="dialog"', 'role="dialog" aria-label="Search"')
    return output.replace("<th></th>", "<td></td>")
