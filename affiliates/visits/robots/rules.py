"""Decides by its user agent whether a visit was made by a program. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from crawlerdetect import CrawlerDetect

from affiliates.visits.robots.words import NAMES, NOUNS, PEOPLE


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_PEOPLE = re.compile(_any_of(PEOPLE), re.IGNORECASE)
# A name and a version, and nothing about the device.
_BARE_NAME = re.compile(
    r"(?!iPhone|Mozilla)[A-Za-z .'_-]+(?:[/ -]v?[0-9.]*)?", re.ASCII
)
# Robots name an address for complaints. Old browsers are "compatible" too.
_ROBOT = re.compile(
    rf"""
      {_any_of(NOUNS)}(?![a-z-])
    | (?<![a-z]){_any_of(NAMES)}(?![a-z])
    | \+[ ]?(?:https?://|www\.|mailto:)
    | [\w.-](?:@|\[at\])[\w-]+\.[a-z]{{2}}
    | \((?:https?://|(?-i:[a-z0-9.-]+\.[a-z]{{2,10}}[)/]))
    | (?:bit\.ly|rb\.gy)/
    | \A(?!Mozilla/).*https?://
    | \A(?!Mozilla/[0-4]).*compatible;[ ]?
      (?!MSIE|Konqueror|ABrowse|iCab|IBrowse|Linux|Origyn|U;)[a-z]
    """,
    re.IGNORECASE | re.VERBOSE,
)


@lru_cache(maxsize=10_000)
def is_robot(user_agent: str) -> bool:
    if _BARE_NAME.fullmatch(user_agent):
        return True
    remainder = _PEOPLE.sub(" ", user_agent)
    return bool(
        _ROBOT.search(remainder) or CrawlerDetect(user_agent=remainder).isCrawler()
    )
