"""What came of an affiliate's links, by days and by parts."""

from __future__ import annotations

import csv
from datetime import timedelta
from io import StringIO

import pytest

from affiliates.core.ids import new_id
from tests.affiliates.api.calls import refusal
from tests.cases import each
from tests.factories.affiliates import ClickFactory

STATISTICS = "/api/affiliate/statistics"


@pytest.fixture(autouse=True)
def _clock(clock):
    """The service's clock stands still."""


@pytest.fixture
def clicks(affiliate, rival, link, now):
    """Of today and yesterday one, of the day before two, and a rival's."""
    for days, fields in (
        (0, {"link": link, "sub_id": "mail", "country": "DE"}),
        (1, {"referrer_url": "https://blog.example.org/a?b"}),
        (2, {"bot_signs": "prefetch"}),
        (2, {}),
    ):
        at = now - timedelta(days=days)
        fields = {"visitor_id": new_id(), "referrer_url": "", **fields}
        ClickFactory(affiliate=affiliate, created_at=at, **fields)
    ClickFactory(affiliate=rival, visitor_id=new_id(), created_at=now)


def ask(caller, query=""):
    answer = caller.get(f"{STATISTICS}?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["data"]


def test_span_by_day_beside_the_span_before(partner, clicks):
    data = ask(partner, "first=2026-02-28&last=2026-03-01")

    assert (data["first"], data["last"]) == ("2026-02-28", "2026-03-01")
    assert data["figures"]["counts"]["clicks"] == 2
    before = data["before"]
    assert (before["first"], before["last"]) == ("2026-02-26", "2026-02-27")
    assert before["figures"]["counts"]["clicks"] == 2
    assert before["figures"]["counts"]["human_clicks"] == 1
    assert [
        (one["first"], one["is_open"], one["figures"]["counts"]["clicks"])
        for one in data["steps"]
    ] == [("2026-02-28", False, 1), ("2026-03-01", True, 1)]
    assert data["parts"] == []


def test_thirty_days_up_to_today_where_nothing_is_asked(partner, clicks):
    data = ask(partner)

    assert (data["first"], data["last"]) == ("2026-01-31", "2026-03-01")
    assert len(data["steps"]) == 30
    assert data["figures"]["counts"]["clicks"] == 4


@each(
    ("by", "count"),
    [("day", 60), ("week", 9), ("month", 2)],
)
def test_steps(partner, by, count):
    data = ask(partner, f"first=2026-01-01&last=2026-03-01&by={by}")

    assert len(data["steps"]) == {"day": 60, "week": 9, "month": 3}[by]


@each(
    ("by", "key", "name"),
    [
        ("link", None, "zq-affiliate-link-"),
        ("sub_id", "mail", "mail"),
        ("referrer", "blog.example.org", "blog.example.org"),
        ("country", "DE", "DE"),
    ],
)
def test_parts_sum_to_the_whole(partner, clicks, link, by, key, name):
    data = ask(partner, f"by={by}")

    parts = {one["key"]: one for one in data["parts"]}
    part = parts[key or str(link.pk)]
    assert part["name"].startswith(name)
    assert part["figures"]["counts"]["clicks"] == 1
    assert sum(one["figures"]["counts"]["clicks"] for one in parts.values()) == 4
    assert data["steps"] == []


def test_amounts_by_currency(partner, order, plan, till):
    till.pay("90.00", "10.00")

    figures = ask(partner)["figures"]

    assert figures["counts"]["sales"] == 1
    assert figures["amounts"]["EUR"] == {
        "revenue": "100.00",
        "net_revenue": "100.00",
        "commission": "10.00",
        "commission_pending": "10.00",
        "commission_matured": "0.00",
        "commission_held": "0.00",
        "commission_due": "0.00",
        "commission_paid": "0.00",
        "commission_rejected": "0.00",
        "commission_taken_back": "0.00",
        "epc": "10.00",
    }


@each(
    ("query", "code", "field"),
    [
        ("by=affiliate", "invalid_choice", "by"),
        ("by=product", "invalid_choice", "by"),
        ("first=2026-03-02&last=2026-03-01", "span_is_empty", "first"),
        ("first=2000-01-01", "span_too_long", "first"),
        ("first=2020-01-01", "span_too_long", "first"),
        ("last=tomorrow", "invalid", "last"),
    ],
)
def test_what_cannot_be_shown_is_refused(partner, query, code, field):
    answer = partner.get(f"{STATISTICS}?{query}")

    assert refusal(answer) == (400, code, field)


def test_csv(partner, clicks):
    answer = partner.get(f"{STATISTICS}?by=week", headers={"accept": "text/csv"})

    rows = list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))
    assert sum(int(row["figures.counts.clicks"]) for row in rows) == 4
    assert rows[-1]["last"] == "2026-03-01"
