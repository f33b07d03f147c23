"""Batches of events: each is answered for itself, and a refused one writes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from affiliates import host_events
from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.contrib.events_api import events as reportables
from affiliates.contrib.events_api.api import reports
from affiliates.extending.clients import ReportedClient, StoresClients
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.events_api import BrandKeyFactory

LINES = "lines.non_field_errors"
ACCEPTED = {"status": 200, "errors": []}


def results_of(response: Any) -> list[dict[str, Any]]:
    assert response.status_code == 200
    return response.json()["data"]["results"]


def codes_of(response: Any) -> list[tuple[int, str]]:
    return [
        (row["status"], row["errors"][0]["code"] if row["errors"] else "")
        for row in results_of(response)
    ]


def test_an_order_and_its_payment_earn_in_one_call(
    report, placed, paid, plan, affiliate
):
    answer = report(placed, paid)

    commission = Commission.objects.get()
    assert answer.json() == {
        "data": {
            "results": [
                {"index": 0, **ACCEPTED, "cookie": "absent"},
                {"index": 1, **ACCEPTED, "cookie": ""},
            ]
        }
    }
    assert (commission.affiliate, commission.amount) == (affiliate, 1000)


def test_a_repeat_writes_nothing_and_is_answered_as_the_first_time(
    report, placed, paid, plan, affiliate
):
    first = report(placed, paid).json()

    with nothing_written():
        again = report(placed, paid).json()

    assert again == first


def test_a_changed_repeat_is_a_conflict(report, placed, paid, plan, affiliate):
    refund = {
        "event": "invoice_refunded",
        "invoice_ref": "invoice-1",
        "refund_ref": "refund-1",
        "gross": {"amount": "11.90", "currency": "EUR"},
        "refunded_at": "2026-03-02T12:00:00Z",
    }
    cancelled = {
        "event": "refund_cancelled",
        "refund_ref": "refund-1",
        "cancellation_ref": "dispute-1",
        "cancelled_at": "2026-03-03T12:00:00Z",
    }
    renewed = {**paid, "invoice_ref": "invoice-2", "renewal_number": 1}
    report(placed, paid, refund, cancelled, renewed)
    more = {"amount": "12.00", "currency": "EUR"}

    with nothing_written():
        answer = report(
            {**placed, "invoice_ref": "invoice-9"},
            {**paid, "gross": more},
            {**refund, "gross": more},
            {**cancelled, "gross": more},
            {**renewed, "invoice_ref": "invoice-3"},
        )

    assert codes_of(answer) == [
        (409, "order_placed_otherwise"),
        (409, "payment_exists"),
        (409, "refund_exists"),
        (409, "cancellation_exists"),
        (409, "renewal_exists"),
    ]


def test_one_refused_event_undoes_no_other(report, placed, paid, plan, affiliate):
    unknown = {**placed, "order_ref": "order-2", "client_id": "nobody"}

    answer = report(placed, unknown, paid)

    assert codes_of(answer) == [(200, ""), (404, "client_not_found"), (200, "")]
    assert OrderReferral.objects.get().order_ref == "order-1"
    assert Commission.objects.count() == 1


def test_a_fault_of_one_event_undoes_no_other(
    report, placed, paid, plan, affiliate, monkeypatch
):
    def fail(*_: Any, **__: Any) -> None:
        InvoicePayment.objects.update(gross=1)
        raise RuntimeError

    event = reportables.EVENTS["refund_cancelled"]._replace(shapes=(), report=fail)
    monkeypatch.setattr(
        reportables, "EVENTS", {**reportables.EVENTS, "refund_cancelled": event}
    )
    cancelled = {
        "event": "refund_cancelled",
        "refund_ref": "refund-1",
        "cancellation_ref": "dispute-1",
        "cancelled_at": "2026-03-03T12:00:00Z",
    }

    answer = report(placed, paid, cancelled)

    assert codes_of(answer) == [(200, ""), (200, ""), (500, "error")]
    assert InvoicePayment.objects.get().gross.amount == 119


@pytest.mark.parametrize(
    ("_case", "change", "attr", "code"),
    [
        ("unknown event", {"event": "order_paid"}, "event", "unknown_event"),
        ("an event of another type", {"event": ["a"]}, "event", "unknown_event"),
        ("a missing field", {"paid_at": ...}, "paid_at", "required"),
        ("a time without offset", {"paid_at": "2026-03-01"}, "paid_at", "invalid"),
        ("a number as a time", {"paid_at": 1}, "paid_at", "invalid"),
        (
            "a year that no zone has",
            {"paid_at": "0001-01-01T00:00Z"},
            "paid_at",
            "invalid",
        ),
        ("a number as a reference", {"order_ref": 7}, "order_ref", "invalid"),
        ("null", {"order_ref": None}, "order_ref", "null"),
        ("a number as an amount", {"gross": 119}, "gross", "invalid"),
        ("an amount without currency", {"gross": {"amount": "1"}}, "gross", "invalid"),
        (
            "an unknown currency",
            {"gross": {"amount": "1", "currency": "EURO"}},
            "gross",
            "invalid",
        ),
        (
            "a float as an amount",
            {"gross": {"amount": 1.5, "currency": "EUR"}},
            "gross",
            "invalid",
        ),
        ("a text as a number", {"renewal_number": "1"}, "renewal_number", "invalid"),
        ("lines that are no list", {"lines": "none"}, LINES, "not_a_list"),
        ("a long reference", {"order_ref": "x" * 65}, None, "too_long"),
    ],
)
def test_an_event_of_wrong_types_is_refused(_case, change, attr, code, report, paid):
    sent = {name: value for name, value in {**paid, **change}.items() if value != ...}

    with nothing_written():
        [result] = results_of(report(sent))

    assert result["status"] == 400
    assert [(row["attr"], row["code"]) for row in result["errors"]] == [(attr, code)]


@pytest.mark.parametrize(
    ("_case", "body", "status", "code"),
    [
        ("no events", {"events": []}, 400, "empty"),
        ("more than a hundred", {"events": [{}] * 101}, 400, "max_length"),
        ("no list", {"events": {}}, 400, "not_a_list"),
        ("no object", [1], 400, "invalid"),
        ("no field", {}, 400, "required"),
        ("too large", {"events": ["x" * reports.MAX_BYTES]}, 413, "body_too_large"),
    ],
)
def test_a_body_that_is_no_batch_is_refused(_case, body, status, code, report):
    with nothing_written():
        answer = report(body=body)

    error = answer.json()["errors"][0]
    assert (answer.status_code, error["code"]) == (status, code)


@pytest.mark.parametrize(
    ("_case", "secret", "scopes", "ended", "status", "code"),
    [
        ("no credentials", "", [], False, 401, "not_authenticated"),
        ("unknown key", "abk_x", [], False, 401, "authentication_failed"),
        ("another token", "afk_x", [], False, 401, "authentication_failed"),
        ("ended key", "abk_o", ["events:write"], True, 401, "authentication_failed"),
        ("no scope", "abk_o", ["lists:read"], False, 403, "key_scope"),
    ],
)
def test_a_call_without_a_live_key_of_the_scope_is_refused(
    _case, secret, scopes, ended, status, code, report, brand, paid, now
):
    ended_at = now if ended else None
    BrandKeyFactory(brand=brand, secret="abk_o", scopes=scopes, ended_at=ended_at)

    with nothing_written():
        answer = report(paid, secret=secret)

    error = answer.json()["errors"][0]
    assert (answer.status_code, error["code"]) == (status, code)


def test_a_key_reports_nothing_of_another_brand(report, placed, buyer, host):
    BrandKeyFactory(brand=BrandFactory(client_area="other.example.com"), secret="abk_o")
    of_client = {"client_id": str(buyer.pk)}
    registered = {
        "event": "client_registered",
        "registered_at": "2026-03-01T12:00:00Z",
        **of_client,
    }
    changed = {"event": "credentials_changed", "change": "password", **of_client}
    erased = {"event": "client_erased", **of_client}

    with nothing_written():
        answer = report(placed, registered, changed, erased, secret="abk_o")

    assert codes_of(answer) == [(403, "client_of_another_brand")] * 4


class Storing(type(get_adapter()), StoresClients):
    """A host whose clients another system reports."""

    calls: list[Any] = []

    def store_client(self, client, *, now):
        self.calls.append(client)

    def forget_client(self, client_id, *, brand_id):
        self.calls.append((client_id, brand_id))


@pytest.fixture
def stored(settings, monkeypatch) -> list[Any]:
    settings.AFFILIATES_ADAPTER = f"{__name__}.Storing"
    monkeypatch.setattr(Storing, "calls", [])
    return Storing.calls


@pytest.mark.parametrize("event", ["client_registered", "client_erased"])
def test_the_host_stores_and_forgets_reported_clients(
    event, stored, report, brand, buyer
):
    sent = {
        "event": event,
        "client_id": str(buyer.pk),
        "email": "bob@example.com",
        "name": "Bob",
        "registered_at": "2026-03-01T12:00:00Z",
    }

    answer = report(sent)

    assert codes_of(answer) == [(200, "")]
    assert stored == [
        ReportedClient(
            brand_id=brand.pk,
            client_id=str(buyer.pk),
            email="bob@example.com",
            name="Bob",
        )
        if event == "client_registered"
        else (str(buyer.pk), brand.pk)
    ]


def test_a_client_to_be_stored_needs_an_address(stored, report, buyer):
    sent = {
        "event": "client_registered",
        "client_id": str(buyer.pk),
        "registered_at": "2026-03-01T12:00:00Z",
    }

    with nothing_written():
        [result] = results_of(report(sent))

    assert [(row["attr"], row["code"]) for row in result["errors"]] == [
        ("email", "required")
    ]
    assert stored == []


def test_the_events_are_those_of_the_seam():
    reporting = {
        name
        for name, value in vars(host_events).items()
        if getattr(value, "__wrapped__", None) is not None
    }

    assert reporting == reportables.EVENTS.keys()


def test_a_closed_client_of_another_brand_is_not_erased(
    report, placed, paid, plan, affiliate, buyer, host, monkeypatch
):
    """The host knows the client no more; our rows still say whose it is."""
    report(placed, paid)
    BrandKeyFactory(brand=BrandFactory(client_area="o.example.com"), secret="abk_o")
    monkeypatch.setattr(type(get_adapter()), "get_client", lambda self, client_id: None)

    with nothing_written():
        answer = report(
            {"event": "client_erased", "client_id": str(buyer.pk)}, secret="abk_o"
        )

    [result] = answer.json()["data"]["results"]
    assert (result["status"], result["errors"][0]["code"]) == (
        403,
        "client_of_another_brand",
    )


def test_a_text_with_a_zero_byte_is_no_reason_to_keep_a_person(report, buyer):
    answer = report(
        {"event": "client_erased", "client_id": str(buyer.pk), "reason": "a\0b"}
    )

    assert answer.json()["data"]["results"][0]["status"] == 200


def test_an_invoice_has_at_most_a_thousand_lines(report, paid):
    with nothing_written():
        answer = report({**paid, "lines": paid["lines"] * 1001})

    [result] = answer.json()["data"]["results"]
    assert (result["status"], result["errors"][0]["attr"]) == (400, LINES)
