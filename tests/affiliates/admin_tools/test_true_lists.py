"""Lists say what they count, which page they refuse, and what narrows them down."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from affiliates.admin_tools.lists import changelist
from affiliates.commissions.admin import CommissionAdmin
from affiliates.visits.admin import ClickAdmin
from tests.factories.affiliates import BrandFactory, ClickFactory
from tests.factories.books import CommissionFactory

CLICKS = "admin:affiliates_click_changelist"
COMMISSIONS = "admin:affiliates_commission_changelist"


def words_of(page) -> str:
    return " ".join(strip_tags(page.content.decode()).split())


def pills_of(page) -> list[tuple[str, str]]:
    return [(one.label, one.value) for one in page.context["cl"].pills]


@pytest.fixture
def three_clicks(affiliate):
    for number in range(3):
        ClickFactory(affiliate=affiliate, visitor_id=UUID(int=number + 1))


@pytest.fixture
def short_pages(monkeypatch):
    monkeypatch.setattr(ClickAdmin, "list_per_page", 1)


@pytest.mark.parametrize(
    ("most", "said"), [(3, " 3 clicks"), (2, "more than 2 clicks")]
)
def test_a_cut_count_says_more_than(
    admin_client, three_clicks, monkeypatch, most, said
):
    monkeypatch.setattr(changelist, "MAX_COUNTED_ROWS", most)

    page = admin_client.get(reverse(CLICKS))

    assert said in words_of(page)
    assert page.context["cl"].result_count == most
    assert ("3 results" in words_of(page), "2 results" in words_of(page)) == (
        most == 3,
        False,
    )


def test_choosing_all_rows_of_a_cut_list_says_more_than(
    admin_client, affiliate, monkeypatch
):
    monkeypatch.setattr(changelist, "MAX_COUNTED_ROWS", 2)
    monkeypatch.setattr(CommissionAdmin, "list_per_page", 1)
    for _ in range(3):
        CommissionFactory(affiliate=affiliate)

    text = words_of(admin_client.get(reverse(COMMISSIONS)))

    assert "Select all more than 2 commissions" in text
    assert "All more than 2 selected" in text


@pytest.mark.parametrize("asked", ["4", "0", "-1", "999999999999"])
def test_page_that_is_none_is_refused_in_words(
    admin_client, three_clicks, short_pages, asked
):
    page = admin_client.get(reverse(CLICKS), {"p": asked, "is_repeat__exact": "0"})

    assert page.status_code == 200
    assert page.context["cl"].result_list == []
    assert f"This list has no page {asked}. Go to the last page, 3" in words_of(page)
    assert 'href="?is_repeat__exact=0&amp;p=3"' in page.content.decode()


def test_page_beyond_a_single_one_is_refused_too(admin_client, three_clicks):
    page = admin_client.get(reverse(CLICKS), {"p": "2"})

    assert page.context["cl"].result_list == []
    assert "This list has no page 2. Go to the last page, 1" in words_of(page)


def test_page_beyond_what_a_cut_list_shows_says_how_to_find_the_rest(
    admin_client, three_clicks, short_pages, monkeypatch
):
    monkeypatch.setattr(changelist, "MAX_COUNTED_ROWS", 2)

    text = words_of(admin_client.get(reverse(CLICKS), {"p": "3"}))

    assert (
        "This list has no page 3. It shows the first 2 of more than 2 clicks: a filter "
        "or a search finds the rest. Go to the last page, 2"
    ) in text


@pytest.mark.parametrize("asked", ["1", "3", "word"])
def test_page_that_there_is_shows_its_row(
    admin_client, three_clicks, short_pages, asked
):
    page = admin_client.get(reverse(CLICKS), {"p": asked})

    assert len(page.context["cl"].result_list) == 1
    assert "has no page" not in words_of(page)


@pytest.mark.parametrize(
    ("_case", "asked", "said"),
    [
        ("none", {}, []),
        ("a search", {"q": "partner"}, [("Search", "“partner”")]),
        ("a choice", {"status__exact": "held"}, [("Status", "Held")]),
        (
            "some choices, by a link",
            {"status__in": "held,paid"},
            [("Status", "Held, Paid")],
        ),
        (
            "days",
            {"from": "2026-03-01", "until": "2026-03-02"},
            [("Earned at", "1 Mar 2026 – 2 Mar 2026")],
        ),
        (
            "one day",
            {"from": "2026-03-01", "until": "2026-03-01"},
            [("Earned at", "1 Mar 2026")],
        ),
        ("from a day", {"from": "2026-03-01"}, [("Earned at", "from 1 Mar 2026")]),
        ("until a day", {"until": "2026-03-01"}, [("Earned at", "until 1 Mar 2026")]),
        (
            "moments, by a link",
            {
                "earned_at__gte": "2026-03-01T12:30:00+00:00",
                "earned_at__lt": "2026-03-02T00:00:00+00:00",
            },
            [
                ("Earned at", "from 1 Mar 2026, 12:30"),
                ("Earned at", "before 2 Mar 2026, 00:00"),
            ],
        ),
        ("no days", {"from": "", "until": ""}, []),
        ("a part of a date", {"earned_at__year": "2026"}, [("Earned at year", "2026")]),
        ("a key", {"pk": "5"}, [("Pk", "5")]),
        ("keys", {"id__in": "5,6"}, [("ID", "5, 6")]),
        ("a row that there is not", {"payout": "99"}, [("Payout", "99")]),
        (
            "a currency, and what is empty",
            {"currency__exact": "EUR", "payout__isnull": "1"},
            [("Currency", "EUR"), ("Payout", "none")],
        ),
    ],
)
def test_pills_say_what_is_set(admin_client, affiliate, settings, _case, asked, said):
    settings.TIME_ZONE = "UTC"
    CommissionFactory(affiliate=affiliate)

    page = admin_client.get(reverse(COMMISSIONS), asked)

    assert page.status_code == 200
    assert pills_of(page) == said


def test_pill_names_the_row_that_a_link_chose(admin_client, affiliate):
    page = admin_client.get(
        reverse(CLICKS), {"affiliate__id__exact": affiliate.pk, "bot_signs__exact": ""}
    )

    assert pills_of(page) == [("Affiliate", str(affiliate)), ("Bot signs", "none")]


def test_pill_names_the_choice_of_a_filter(admin_client, affiliate):
    BrandFactory(client_area="other.example.com")

    page = admin_client.get(
        reverse(CLICKS),
        {"brand__id__exact": affiliate.brand_id, "bot": "no", "is_repeat__exact": "0"},
    )

    assert sorted(pills_of(page)) == [
        ("Brand", affiliate.brand.name),
        ("Is repeat", "No"),
        ("Made by", "A person"),
    ]


def test_pills_are_taken_off_one_by_one_and_all_at_once(admin_client, affiliate):
    asked = {
        "q": "partner",
        "status__exact": "held",
        "from": "2026-03-01",
        "until": "2026-03-02",
        "o": "-8",
    }

    cl = admin_client.get(reverse(COMMISSIONS), asked).context["cl"]

    assert {one.label: one.without for one in cl.pills} == {
        "Search": "?from=2026-03-01&o=-8&status__exact=held&until=2026-03-02",
        "Earned at": "?o=-8&q=partner&status__exact=held",
        "Status": "?from=2026-03-01&o=-8&q=partner&until=2026-03-02",
    }
    assert cl.without_pills == "?o=-8"


def test_pills_stand_above_an_empty_list_too(admin_client, affiliate):
    page = admin_client.get(reverse(COMMISSIONS), {"status__exact": "held"})

    assert words_of(page).count("Status: Held ×, take off") == 1


def test_days_are_those_that_the_filter_finds(admin_client, affiliate):
    CommissionFactory(
        affiliate=affiliate, earned_at=datetime(2026, 3, 2, 23, 59, tzinfo=UTC)
    )

    page = admin_client.get(reverse(COMMISSIONS), {"until": "2026-03-02"})

    assert page.context["cl"].result_count == 1
