"""The search of the documentation finds how-tos by the words people type."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from docs.pictured import HOW_TOS

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
ROOT = Path(__file__).resolve().parents[2]
SEARCH, RESULT = ".md-search__input", ".md-search-result__link"
# What is typed, and the how-to that is found first.
WORDS = {
    "coupon": "give-a-coupon",
    "merge": "merge-two-affiliates",
    "transfer": "merge-two-affiliates",
    "redirect": "test-a-link",
    "reject": "reject-a-commission",
    "refund": "follow-a-refund",
    "approve": "approve-a-commission",
    "application": "approve-an-affiliate",
    "suspend": "suspend-an-affiliate",
    "invite": "invite-an-affiliate",
    "add affiliate": "add-an-affiliate",
    "bank": "pay-by-bank-file",
    "paypal": "pay-by-paypal",
    "payout run": "make-a-payout-run",
    "returned payment": "record-a-returned-payment",
    "bonus": "give-a-bonus",
    "deduction": "give-a-bonus",
    "fraud": "review-fraud",
    "claim": "answer-a-claim",
    "report missing sale": "report-a-missing-sale",
    "revenue": "rank-affiliates",
    "owe": "see-what-we-owe",
    "rate": "change-a-commission-plan",
    "csv": "save-a-list",
    "excel": "save-a-list",
    "test order": "try-with-a-test-brand",
    "test link": "test-a-link",
    "assign order": "assign-an-order",
    "client to another affiliate": "move-a-client",
    "earned nothing": "find-why-an-order-earned-nothing",
    "banner": "share-banners",
    "role": "give-staff-a-role",
    "permissions": "give-staff-a-role",
    "send e-mail again": "send-an-email-again",
    "set up brand": "set-up-a-brand",
    "api key": "make-an-api-key",
    "get paid": "get-paid",
    "join": "join-the-program",
    "share link": "share-a-link",
    "e-mails": "choose-your-emails",
    "what an affiliate sees": "see-what-an-affiliate-sees",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        check=True,
    )
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_words_that_people_use_find_the_how_to_first(page: Page, site: str):
    page.goto(f"{site}/index.html")
    page.click(SEARCH)

    found = {word: _first_result(page, word) for word in WORDS}

    wrong = {word: one for word, one in found.items() if one != WORDS[word]}
    assert wrong == {}
    assert {*HOW_TOS} - {*WORDS.values()} == set()


def _first_result(page: Page, word: str) -> str:
    _type(page, "")
    page.wait_for_function(f"!document.querySelector('{RESULT}')")
    _type(page, word)
    result = page.wait_for_selector(RESULT, state="attached")
    return Path((result.get_attribute("href") or "").split("?")[0]).stem


def _type(page: Page, text: str) -> None:
    page.fill(SEARCH, text)
    page.dispatch_event(SEARCH, "keyup")
