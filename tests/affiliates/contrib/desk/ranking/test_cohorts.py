"""The page of cohorts: its cells, its choices and its file."""

from __future__ import annotations

import csv
from copy import deepcopy
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.urls import reverse

from affiliates.contrib.desk.ranking import cohorts
from affiliates.contrib.statistics.services import count_changes
from tests.factories.programs import make_partners

PAGE = "admin:affiliates_brand_cohorts"
LINES = [("hosting", "annually", 10_000)]
NOW = datetime(2026, 2, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(renew_once)


@pytest.fixture
def world(db, kept_world, monkeypatch):
    """A client of January who renews in February."""
    monkeypatch.setattr(cohorts.timezone, "now", lambda: NOW)
    return deepcopy(kept_world)


def renew_once():
    world = make_partners("partner")
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)
    world.pay(order.invoices[0])
    world.pass_by(days=31)
    world.pay(world.renew(order))
    count_changes(now=lambda: NOW)
    return world


def open_page(client, world, **asked):
    return client.get(reverse(PAGE), {"brand": world.brand.pk, "months": "6", **asked})


def cells(answer):
    return {
        row["month"]: [text for text, *_ in row["cells"]]
        for row in answer.context["rows"]
    }


def test_amounts_by_month_since_signup(world, admin_client):
    answer = open_page(admin_client, world)

    [february, january, *earlier] = answer.context["rows"]
    assert (january["month"], january["clients"]) == ("Jan 2026", 1)
    assert (january["total"], january["each"]) == ("€200.00", "€200.00")
    assert january["cells"] == [
        ("100", "€100.00", 4, False),
        ("100", "€100.00", 4, True),
    ]
    assert february["cells"] == [("0", "€0.00", 0, True)]
    assert len(earlier) == 4
    definition = "Revenue less what refunds took back of these sales."
    assert definition in answer.content.decode()


def test_commission_and_active_clients(world, admin_client):
    commission = open_page(admin_client, world, of="commission")
    active = open_page(admin_client, world, of="active_clients")

    assert cells(commission)["Jan 2026"] == ["10", "10"]
    assert cells(active)["Jan 2026"] == ["1", "1"]
    assert active.context["currency"] == ""


def test_file_has_a_line_for_each_cohort_and_month(world, admin_client):
    answer = open_page(admin_client, world, file="csv")

    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    lines = list(csv.reader(StringIO(text)))
    assert lines[:4] == [
        ["Month of signup", "Clients", "Months since", "Net revenue", "Currency"],
        ["2026-02", "0", "0", "0.00", "EUR"],
        ["2026-01", "1", "0", "100.00", "EUR"],
        ["2026-01", "1", "1", "100.00", "EUR"],
    ]
    assert len(lines) == 1 + 1 + 2 + 3 + 4 + 5 + 6
    assert 'filename="cohorts-net_revenue-2026-02.csv"' in answer["Content-Disposition"]
