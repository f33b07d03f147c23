"""Nothing that an affiliate or a visitor reads is left in English."""

from __future__ import annotations

import re

import pytest
import time_machine
from babel import Locale

from tests.affiliates.contrib.area.test_matrix import PREFIX, ROWS, path_of
from tests.lengths import in_steps
from tests.texts import WORD, Texts

pytestmark = pytest.mark.django_db

# The same in German, or a name: of languages, brands, parameters and of these rows.
ALIKE = re.compile(
    r"Authorization: Bearer afk_…|(English|Deutsch|Links?|Status|Name|Person|Bonus|PayPal|CSV|PDF|EUR|IBAN|sub\d?|Brand \d+|"
    r"A (subject|text)|Blog( footer)?|(Code ?)?(FRIEND\d+)?|Tool|Webhook|[\w.-]+-\d+|\S*@\S+|(https?://)?[\w.]+\.\w+(/\S*)?|partner|UTC|\w+(/[\w +-]+)+|\W|\d)*"
)
COUNTRIES = frozenset(Locale("de").territories.values())


@in_steps(example=9, sweep=1)
def test_every_page_is_in_german(step, objects, browser, now):
    """What two languages have alike is a name, or was forgotten."""
    # While there is something to draw.
    with time_machine.travel(now, tick=False):
        forgotten = {
            (route, text)
            for route in [route for method, route in ROWS if method == "GET"][::step]
            for text in _alike(browser, f"{PREFIX}{path_of(route, objects)}")
            if WORD.search(text) and not ALIKE.fullmatch(text) and text not in COUNTRIES
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
    return set.intersection(*(Texts(page.text).found for page in pages))
