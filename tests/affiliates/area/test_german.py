"""Nothing that an affiliate or a visitor reads is left in English."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import time_machine

from tests.affiliates.area.test_matrix import PREFIX, ROWS, path_of

pytestmark = pytest.mark.django_db

# In addresses and code blocks are no words.
READ = {"alt", "aria-label", "placeholder", "title"}
NOT_READ = {"script", "style", "textarea"}
WORD = re.compile(r"[^\W\d_]{2}")
# The same in German, or a name: of languages, brands, parameters and of these rows.
ALIKE = re.compile(
    r"(English|Deutsch|Links?|Status|Name|PayPal|CSV|EUR|IBAN|sub\d?|Brand \d+|"
    r"A (subject|text)|Blog( footer)?|Tool|Webhook|[\w.-]+-\d+|\S*@\S+|(https://)?[\w.]+\.\w+(/\S*)?|partner|UTC|\w+(/[\w +-]+)+|\W|\d)*"
)


class _Texts(HTMLParser):
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


def test_every_page_is_in_german(objects, browser, now):
    """What two languages have alike is a name, or was forgotten."""
    # While there is something to draw.
    with time_machine.travel(now, tick=False):
        forgotten = {
            (route, text)
            for (method, route) in ROWS
            if method == "GET"
            for text in _alike(browser, f"{PREFIX}{path_of(route, objects)}")
            if WORD.search(text) and not ALIKE.fullmatch(text)
        }

    assert sorted(forgotten) == []


def _alike(browser, path: str) -> set[str]:
    pages = [
        browser.get(path, headers={"accept-language": language})
        for language in ("en", "de")
    ]
    # The host says itself what it does not find, and pictures and files say nothing.
    if pages[0].status_code == 404 or "html" not in pages[0].headers["Content-Type"]:
        return set()
    return set.intersection(*(_Texts(page.text).found for page in pages))
