"""Programs read what the lists of the admin save as files."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.test import Client
from django.urls import reverse
from django.utils import translation

from affiliates.commissions.models import Commission
from affiliates.contrib.events_api.lists import LISTS
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.events_api import BrandKeyFactory

SECRET = "abk_reader"
FIELDS = {
    "affiliates": (
        "id code name status plan human_clicks_90_days net_revenue_90_days "
        "payable owed last_sale"
    ),
    "orders": (
        "id invoice client decision affiliate paid tracking_integration converted"
    ),
    "payments": ("id invoice payment gross own_affiliate paid"),
    "sales": ("id invoice affiliate net status paid"),
    "commissions": (
        "id invoice affiliate earned after_refunds status plan client_paid hold_ends"
    ),
}


@pytest.fixture
def read(brand):
    """Reads a list with a key of the brand and returns the answer."""
    BrandKeyFactory(brand=brand, secret=SECRET, scopes=["lists:read"])

    def read(
        name: str, secret: str = SECRET, language: str = "en", **query: Any
    ) -> Any:
        headers = {"authorization": f"Bearer {secret}", "accept-language": language}
        return Client().get(f"/api/operator/lists/{name}", query, headers=headers)

    return read


def rows_of(response: Any) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.content
    return response.json()["data"]["rows"]


def test_a_row_is_that_of_the_saved_file(read, commission, admin_client):
    saved = admin_client.get(
        reverse("admin:affiliates_commission_export", args=["csv"])
    )
    header = b"".join(saved.streaming_content).decode("utf-8-sig").splitlines()[0]

    [row] = rows_of(read("commissions"))

    labels = [name for name in header.split(",") if not name.endswith(": currency")]
    names = [label.lower().replace(" ", "_") for label in labels if label != "Brand"]
    assert [*row] == ["id", *names]
    assert row["id"] == commission.pk
    assert row["earned"] == {"amount": "10.00", "currency": "EUR"}
    assert row["status"] == "Pending"


@each("name", LISTS)
def test_every_list_is_read_and_has_no_row_of_another_brand(
    name, read, commission, host
):
    other = BrandFactory(client_area=f"{name}.example.com")
    AffiliateFactory(brand=other, user=host.client(other, email=f"{name}@example.com"))
    own = rows_of(read(name))
    BrandKeyFactory(brand=other, secret=f"abk_{name}", scopes=["lists:read"])

    others = rows_of(read(name, secret=f"abk_{name}"))

    assert {row["id"] for row in own} & {row["id"] for row in others} == set()
    assert len(others) == (name == "affiliates")
    assert len(own) == (name not in ("clients", "refunds", "payouts"))


def test_names_of_fields_stay_and_have_no_language(read, commission):
    """A program depends on them: labels of the admin's columns may change, not these."""
    rows = {name: rows_of(read(name)) for name in LISTS}

    assert {name: " ".join(found[0]) for name, found in rows.items() if found} == FIELDS
    with translation.override("de"):
        assert {name: rows_of(read(name, language="de")) for name in LISTS} == rows


@each("name", LISTS)
def test_every_column_has_a_name_of_its_own(name, rf, admin_user):
    page = admin.site._registry[apps.get_model(LISTS[name].label)]
    request = rf.get("/")
    request.user = admin_user
    columns = page.get_list_display(request)

    labels = {label_for_field(column, page.model, page) for column in columns}

    assert len(labels) == len(columns)


def test_pages_follow_each_other(read, brand, host):
    made = [
        AffiliateFactory(brand=brand, user=host.client(brand, email=f"{n}@example.com"))
        for n in range(5)
    ]
    seen, after = [], 0

    while after is not None:
        part = read("affiliates", after=after, limit=2).json()["data"]
        seen.append([row["id"] for row in part["rows"]])
        after = part["next"]

    pks = [row.pk for row in made]
    assert seen == [pks[:2], pks[2:4], pks[4:]]


def test_since_finds_what_was_made_or_changed(read, commission):
    made = Commission.objects.get().earned_at
    changed = commission.events.latest("at").at

    found = {
        moment: len(rows_of(read("commissions", since=moment.isoformat())))
        for moment in (made, changed, changed + timedelta(seconds=1))
    }

    assert [*found.values()] == [1] * (len(found) - 1) + [0]


@pytest.mark.parametrize(
    ("name", "query", "status", "code"),
    [
        ("none", {}, 404, "not_found"),
        ("orders", {"limit": 201}, 400, "max_value"),
        ("orders", {"after": "x"}, 400, "invalid"),
        ("orders", {"after": 2**63}, 400, "max_value"),
        ("orders", {"since": "2026-03-01"}, 400, "invalid"),
    ],
)
def test_an_unusable_question_is_refused(name, query, status, code, read):
    with nothing_written():
        answer = read(name, **query)

    error = answer.json()["errors"][0]
    assert (answer.status_code, error["code"]) == (status, code)


def test_a_key_that_reports_reads_nothing(read, key):
    answer = read("orders", secret="abk_of_the_tests")

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (
        403,
        "key_scope",
    )
