"""Thousands of known open-redirect payloads, with what Chromium made of each."""

from __future__ import annotations

import json
import re

import ada_url
import pytest

from affiliates.core.redirects import judge_target
from tests.affiliates.core.entries import entry
from tests.affiliates.core.hostile import CORPUS

BASE = ada_url.URL("https://www.whitelisteddomain.tld/client/store?aid=abc123#top")
# Neither ada nor the guard's own patterns: the plainest reading of "inside".
INSIDE = re.compile(r"https?://www\.whitelisteddomain\.tld(?:[/?#][!-~]*)?")


@pytest.fixture(scope="module")
def rows():
    if not CORPUS.exists():
        pytest.skip("the corpus of redirect vectors is not at hand")
    return json.loads(CORPUS.read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize(
    "domains",
    [(), (entry("www.whitelisteddomain.tld", subdomains=True),)],
    ids=["same host only", "a domain with subdomains"],
)
def test_nothing_is_permitted_that_chromium_takes_away(rows, domains):
    permitted = 0
    escaped = []

    for row in rows:
        decision = judge_target(
            row["value"], visit_url=BASE, domains=domains, require_https=False
        )
        if decision.url is None:
            continue
        permitted += 1
        host = ada_url.URL(decision.url).hostname
        inside = host == BASE.hostname and INSIDE.fullmatch(decision.url)
        if not inside or row["chromium"] != "home":
            escaped.append((row, decision.url))

    assert escaped == []
    assert permitted > 50


def test_a_relative_looking_escape_is_never_resolved(rows):
    slashes = [row for row in rows if row["value"][:2] in ("//", "/\\", "\\/", "/\t")]

    decisions = [
        judge_target(row["value"], visit_url=BASE, domains=(), require_https=False)
        for row in slashes
    ]

    assert slashes
    assert {decision.url for decision in decisions} == {None}
