"""What htmx is answered, and what the pages are without it."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.apps import apps
from django.test import Client

from tests.cases import each
from tests.database import nothing_written

pytestmark = pytest.mark.django_db

ASKED_BY_HTMX = {"HX-Request": "true", "Area-Frame": "partner  en"}
NEW = "/affiliate/links/new"
EVIL = "https://evil.example/"


def install(monkeypatch, *, is_there: bool) -> None:
    others = apps.is_installed
    monkeypatch.setattr(
        apps,
        "is_installed",
        lambda name: is_there if name == "django_htmx" else others(name),
    )


@pytest.fixture
def htmx(monkeypatch) -> None:
    pytest.importorskip("django_htmx")
    install(monkeypatch, is_there=True)


@pytest.fixture
def no_htmx(monkeypatch) -> None:
    install(monkeypatch, is_there=False)


def test_it_stores_nothing_and_runs_nothing_but_files(browser, htmx):
    answer = browser.get("/affiliate/orders")

    [config] = re.findall(r"<meta name=\"htmx-config\" content='(.*)'>", answer.text)
    scripts = re.findall(r'<script src="([^"]+)" defer></script>', answer.text)
    assert json.loads(unescape(config)) == {
        "allowEval": False,
        "allowScriptTags": False,
        "attributesToSettle": [],
        "historyCacheSize": 0,
        "includeIndicatorStyles": False,
        "refreshOnHistoryMiss": True,
        "scrollIntoViewOnBoost": False,
        "selfRequestsOnly": True,
        "timeout": 30_000,
    }
    assert [one.rpartition("/static/")[2] for one in scripts] == [
        "django_htmx/htmx-2.min.js",
        "affiliates/area.js",
        "affiliates/chart.js",
    ]
    assert answer.text.count("<script") == 3
    assert "script-src 'self'; " in answer["Content-Security-Policy"]


def test_who_is_no_affiliate_yet_loads_no_htmx(htmx, brand):
    browser = Client(headers={"host": "shop.example.com"})

    assert "django_htmx" not in browser.get("/affiliate/program").text


def test_without_the_app_the_pages_are_as_before(browser, no_htmx):
    page = browser.get("/affiliate/orders")
    browser.logout()
    answer = browser.get("/affiliate/orders", headers=ASKED_BY_HTMX)

    assert "htmx-config" not in page.text
    assert page.text.count("<script") == 2
    assert "HX-Request" not in page.headers.get("Vary", "")
    assert answer.status_code == 302


def test_the_answer_is_the_same_whole_page(browser, htmx):
    page = browser.get("/affiliate/orders")
    answer = browser.get("/affiliate/orders", headers=ASKED_BY_HTMX)

    assert answer.text.count('<main id="content"') == 1
    assert _without_tokens(answer.text) == _without_tokens(page.text)
    assert "HX-Request" in page["Vary"]
    assert "HX-Request" in answer["Vary"]
    assert answer["Cache-Control"] == "private, no-store"


def test_a_lost_session_lets_the_browser_itself_go_to_the_login(browser, htmx):
    browser.logout()

    answer = browser.get("/affiliate/orders", headers=ASKED_BY_HTMX)
    itself = browser.get("/affiliate/orders")

    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")
    assert (answer.content, "Location" in answer) == (b"", False)
    assert "HX-Request" in answer["Vary"]
    assert (itself.status_code, "HX-Request" in itself["Vary"]) == (302, True)


def test_the_end_of_a_look_is_for_the_browser_itself_too(browser, htmx):
    browser.cookies["affiliates_look"] = "ended"

    answer = browser.get("/affiliate/orders", headers=ASKED_BY_HTMX)
    itself = browser.get("/affiliate/orders")

    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")
    # Which is told of it then: as who is signed in it would show something else.
    assert "affiliates_look" not in answer.cookies
    assert itself.status_code == 403
    assert "The look has ended" in itself.text


@each("frame", ["other  en", "partner 7 en", "partner  de", None])
def test_a_part_stands_in_no_other_persons_page(browser, htmx, frame):
    """Of a tab from before somebody else signed in, a look began or a language was chosen."""
    headers = {"HX-Request": "true"} | ({"Area-Frame": frame} if frame else {})

    answer = browser.get("/affiliate/orders", headers=headers)

    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")
    assert answer.content == b""
    assert """hx-headers='{"Area-Frame": "partner  en"}'""" in (
        browser.get("/affiliate/orders").text
    )


@each(
    ("given", "kept"),
    [
        ({"name": "Blog", "target_url": EVIL}, "evil.example is no redirect target of"),
        ({"name": "", "target_url": EVIL}, "evil.example is no redirect target of"),
        ({"name": "", "target_url": ""}, ""),
    ],
)
def test_an_address_is_judged_while_it_is_typed(browser, htmx, given, kept):
    with nothing_written():
        answer = browser.post(NEW, {**given, "try": "1"}, headers=ASKED_BY_HTMX)

    [faults] = re.findall(
        r'<div id="id_target_url_faults".*?>(.*?)</div>', answer.text, flags=re.DOTALL
    )
    assert answer.status_code == 200
    assert kept in faults
    assert bool(kept) == ('<ul class="errorlist" id="id_target_url_error">' in faults)
    assert ("The usual first page." in answer.text) == (not kept)


def test_what_is_refused_of_a_form_is_a_400_to_browsers_alone(browser, htmx):
    query = {"first": "yesterday"}

    answer = browser.get("/affiliate/orders", query, headers=ASKED_BY_HTMX)
    itself = browser.get("/affiliate/orders", query)

    assert (answer.status_code, itself.status_code) == (200, 400)
    assert "That cannot be shown" in answer.text


def test_a_link_still_needs_a_name(browser, htmx):
    with nothing_written():
        answer = browser.post(NEW, {"name": "", "target_url": ""})

    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == ["name"]


@each(
    "path",
    [
        "",
        "links",
        "statistics",
        "orders",
        "referrals",
        "commissions",
        "postings",
        "balances",
    ],
)
def test_lists_are_chosen_without_a_new_page_and_files_are_saved(browser, path):
    text = browser.get(f"/affiliate/{path}").text

    [form] = re.findall(r'<form method="get"[^>]*>', text)
    files = re.findall(r'<a href="[^"]*file=csv"[^>]*>', text)
    assert 'hx-boost="true"' in form
    assert all("hx-boost" not in one or 'hx-boost="false"' in one for one in files)
    assert text.count('id="show"') == 1


def _without_tokens(text: str) -> str:
    return re.sub(r'(name="csrfmiddlewaretoken" value)="[^"]*"', r"\1", text)
