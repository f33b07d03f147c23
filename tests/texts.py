"""What somebody reads on a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

# In addresses and code blocks are no words.
READ = {"alt", "aria-label", "placeholder", "title"}
NOT_READ = {"script", "style", "textarea"}
WORD = re.compile(r"[^\W\d_]{2}")


class Texts(HTMLParser):
    """``found``: what is read on a page, also aloud."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._is_read = True
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_read = tag not in NOT_READ
        self.found |= {value for name, value in attrs if name in READ and value}

    def handle_endtag(self, tag: str) -> None:
        self._is_read = True

    def handle_data(self, data: str) -> None:
        if self._is_read:
            self.found.add(" ".join(data.split()))
