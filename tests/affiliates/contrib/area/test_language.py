"""In which language a visitor reads."""

from __future__ import annotations

from datetime import date

import pytest
from django.conf import settings as django_settings
from django.utils import translation

from affiliates.contrib.area.templatetags.affiliates_area import amount, result_cells
from affiliates.contrib.statistics.drawing import day_text
from affiliates.contrib.statistics.metrics import COMMISSION, HUMAN_CLICKS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("", "en"),
        ("de-AT,en;q=0.5", "de"),
        ("fr", "en"),
        ("xx, de;q=0.1", "de"),
    ],
)
def test_it_is_the_browsers_where_it_is_ours(browser, asked, language):
    page = browser.get("/affiliate/", headers={"accept-language": asked}).text

    assert f'<html lang="{language}">' in page


def test_a_chosen_language_stays(browser):
    answer = browser.post(
        "/affiliate/language", {"language": "de", "next": "/affiliate/?a=1"}
    )

    assert answer["Location"] == "/affiliate/?a=1"
    assert '<html lang="de">' in browser.get("/affiliate/").text


@pytest.mark.parametrize(
    ("language", "path"),
    [
        ("tlh", "/affiliate/"),
        ("de", "https://evil.example/"),
        ("de", "abc"),
        ("de", "affiliates_area:links"),
        ("de", ""),
    ],
)
def test_another_language_or_place_is_not_gone_to(browser, language, path):
    answer = browser.post("/affiliate/language", {"language": language, "next": path})

    assert answer["Location"] == "/affiliate/"
    chosen = browser.cookies.get(django_settings.LANGUAGE_COOKIE_NAME)
    assert (chosen and chosen.value) == (None if language == "tlh" else "de")


def test_it_is_chosen_by_post_alone(browser):
    assert browser.get("/affiliate/language").status_code == 405


RESULTS = {
    "counts": {"human_clicks": 1234},
    "amounts": {"EUR": {"commission": "1234.50"}, "USD": {"commission": "0.00"}},
}


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", ("1,234", "€1,234.50", "March 1, 2026")),
        ("de", ("1.234", "1.234,50\xa0€", "1. März 2026")),
    ],
    ids=["english", "german"],
)
def test_numbers_and_days_are_of_the_language_that_is_read(language, shown):
    number, money, day = shown
    with translation.override(language):
        assert amount("1234.50", "EUR") == money
        assert result_cells(RESULTS, (HUMAN_CLICKS, COMMISSION)) == (
            f'<td class="number">{number}</td><td class="number"><div>{money}</div></td>'
        )
        assert day_text(date(2026, 3, 1), "DATE_FORMAT") == day


def test_labels_of_results_are_escaped():
    column = HUMAN_CLICKS._replace(label="<")

    assert result_cells(RESULTS, [column], is_card=True) == (
        '<td class="number result" data-label="&lt;">1,234</td>'
    )
