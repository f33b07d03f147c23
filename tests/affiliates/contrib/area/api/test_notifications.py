"""/api/affiliate/notifications: what was sent, and which kinds are wanted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from affiliates.emails.choices.services import set_choices
from affiliates.emails.models import EmailChoice
from affiliates.emails.types import money
from affiliates.outbox.queue.rules import QueueState
from tests.cases import each
from tests.database import nothing_written
from tests.factories.emails import EmailFactory

PATH = "/api/affiliate/notifications"
CHOICES = f"{PATH}/choices"
ORIGIN = "https://shop.example.com"

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def partner(affiliate, host) -> APIClient:
    """The affiliate's own browser."""
    return APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(affiliate.user)
    )


def sent(affiliate, kind, **fields):
    fields = {"state": QueueState.SENT, **fields}
    return EmailFactory(brand=affiliate.brand, affiliate=affiliate, kind=kind, **fields)


def test_what_was_sent_is_listed_newest_first(partner, affiliate, rival, now):
    facts = {"invoice": "A-1", "order_id": 7, "commission": money(12_50, "EUR")}
    sale = sent(affiliate, "sale", created_at=now - timedelta(days=1), facts=facts)
    paid = sent(affiliate, "paid", state=QueueState.FAILED, subject="")
    sent(affiliate, "sale", state=QueueState.NOT_SENT)
    sent(rival, "sale")

    answer = partner.get(PATH).json()["data"]

    assert answer["notifications"][1] == {
        "id": sale.pk,
        "kind": "sale",
        "status": "sent",
        "subject": "A subject",
        "created_at": "2026-02-28T12:00:00+00:00",
        "finished_at": "2026-02-28T12:00:00+00:00",
        "amounts": [{"amount": "12.50", "currency": "EUR"}],
        "invoice": "A-1",
        "payout": None,
        "page": {"label": "See the order", "path": "/affiliate/orders/7"},
    }
    found = answer["notifications"]
    assert [(one["id"], one["subject"]) for one in found] == [
        (paid.pk, ""),
        (sale.pk, "A subject"),
    ]
    assert (found[0]["amounts"], found[0]["page"]) == ([], None)
    assert (answer["page"], answer["pages"]) == (1, 1)
    lines = partner.get(PATH, HTTP_ACCEPT="text/csv").text.splitlines()
    assert lines[0].endswith(",amounts,invoice,payout,page.label,page.path")
    assert lines[1].endswith(",,,,,")
    assert lines[2].endswith(",12.50 EUR,A-1,,See the order,/affiliate/orders/7")


@pytest.fixture
def two(affiliate, now) -> None:
    sent(affiliate, "sale", created_at=now - timedelta(days=1))
    sent(affiliate, "paid")


@each(
    ("query", "kinds"),
    [
        ("ordering=created_at", ["sale", "paid"]),
        ("kind=sale", ["sale"]),
        ("first=2026-03-01", ["paid"]),
    ],
)
def test_what_is_listed_can_be_chosen(partner, two, query, kinds):
    answer = partner.get(f"{PATH}?{query}").json()["data"]
    file = partner.get(f"{PATH}?{query}", HTTP_ACCEPT="text/csv").text

    assert [one["kind"] for one in answer["notifications"]] == kinds
    assert [line.split(",")[1] for line in file.splitlines()[1:]] == kinds


def test_choices_are_changed_one_by_one(partner, affiliate, rival, now):
    set_choices(affiliate.pk, {"paid": "never"}, now=now)
    body = {"choices": {"sale": "weekly", "paid": "at_once"}}

    answer = partner.patch(CHOICES, body, format="json")

    shown = {one["kind"]: one for one in answer.json()["data"]["choices"]}
    assert shown["sale"] == {
        "kind": "sale",
        "about": "A sale is credited to you",
        "always": "",
        "delivery": "weekly",
        "deliveries": ["daily", "weekly", "at_once", "never"],
    }
    assert shown["reversal"]["delivery"] == "daily"
    assert shown["paid"]["delivery"] == shown["applied"]["delivery"] == "at_once"
    assert shown["paid"]["deliveries"] == ["at_once", "never"]
    assert shown["applied"]["deliveries"] == ["at_once"]
    assert (
        shown["applied"]["always"]
        == "It tells you whether you take part in the program."
    )
    assert not {"staff_payout", "digest"} & shown.keys()
    assert partner.get(CHOICES).json() == answer.json()
    kept = EmailChoice.objects.values_list("affiliate", "kind", "delivery")
    assert set(kept) == {
        (affiliate.pk, "sale", "weekly"),
        (affiliate.pk, "paid", "at_once"),
    }


@each(
    ("body", "field"),
    [
        ({"choices": {"sale": "never", "none": "never"}}, "none"),
        ({"choices": {"sale": "never", "applied": "never"}}, "applied"),
        ({"choices": {"sale": "never", "digest": "never"}}, "digest"),
        ({"choices": {"sale": "never", "staff_payout": "at_once"}}, "staff_payout"),
        ({"choices": {"sale": "never", "paid": "daily"}}, "paid"),
        ({"choices": {"paid": "never", "sale": "no"}}, "choices"),
        ({"choices": {"paid": "never", "sale": False}}, "choices"),
        ({"choices": {"paid": "never", "sale": None}}, "choices"),
        ({"choices": ["sale"]}, "choices"),
        ({}, "choices"),
        ([], None),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_nothing_written(partner, body, field):
    with nothing_written():
        answer = partner.patch(CHOICES, body, format="json")

    assert answer.status_code == 400
    assert field is None or field in answer.text
