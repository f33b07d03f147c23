"""PayPal's conversation, call by call. Nobody here has seen the real service."""

from __future__ import annotations

import json
from typing import Any

import pytest

from affiliates.contrib.paypal.sender import PAGE_SIZE, PayPalPayouts
from affiliates.outbox.http.types import Call, FailureKind
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.sender import Batch, BatchAnswer, ItemState
from tests.affiliates.contrib.conversations import converse

API = "https://api-m.paypal.example"
SETTINGS = ProviderSettings(
    address=f"{API}/",
    parameters=(),
    values={"client_id": "ID"},
    secrets={"client_secret": "s3cret"},
)
TOKEN = {"access_token": "A21AA", "expires_in": 32400}
TAKEN = {
    "batch_header": {"payout_batch_id": "5UXD2E8A7EBQJ", "batch_status": "PENDING"}
}
DUPLICATE = {
    "name": "USER_BUSINESS_ERROR",
    "message": "User business error.",
    "details": [
        {
            "field": "SENDER_BATCH_ID",
            "issue": "Batch with given sender_batch_id already exists",
            "link": [
                {"href": f"{API}/v1/payments/payouts/CR9VS2K4X4846", "rel": "self"}
            ],
        }
    ],
}


def transfer(number: int = 17, **values: Any) -> Transfer:
    common = {"amount": 1_250, "currency": "EUR", "text": "Affiliate payout"}
    return Transfer(
        reference=f"PAYOUT-{number}",
        details={"email": f"Partner{number}@example.org"},
        **common | values,
    )


def batch(*transfers: Transfer, remote_id: str = "") -> Batch:
    return Batch(
        reference="BATCH-3-20260301120000",
        currency="EUR",
        transfers=transfers or (transfer(),),
        remote_id=remote_id,
    )


def sent(*answers: Any) -> tuple[BatchAnswer, list[Call]]:
    return converse(PayPalPayouts().send, batch(), SETTINGS, *answers)


def test_a_batch_is_created_under_our_numbers():
    answer, [token, create] = sent(TOKEN, (201, TAKEN))

    assert answer == BatchAnswer(kind=OutcomeKind.OK, remote_id="5UXD2E8A7EBQJ")
    assert (token.method, token.url) == ("POST", f"{API}/v1/oauth2/token")
    assert dict(token.headers)["Authorization"] == "Basic SUQ6czNjcmV0"
    assert (create.method, create.url) == ("POST", f"{API}/v1/payments/payouts")
    assert dict(create.headers)["Authorization"] == "Bearer A21AA"
    assert json.loads(create.body) == {
        "sender_batch_header": {
            "sender_batch_id": "BATCH-3-20260301120000",
            "recipient_type": "EMAIL",
        },
        "items": [
            {
                "recipient_type": "EMAIL",
                "receiver": "Partner17@example.org",
                "amount": {"currency": "EUR", "value": "12.50"},
                "sender_item_id": "PAYOUT-17",
                "note": "Affiliate payout",
            }
        ],
    }
    assert {*token.secrets, *create.secrets} == {"s3cret", "SUQ6czNjcmV0", "A21AA"}


def test_a_currency_without_decimals_is_sent_without():
    yen = batch(transfer(amount=5_000, currency="JPY"))

    _, [_, create] = converse(PayPalPayouts().send, yen, SETTINGS, TOKEN, (201, TAKEN))

    [item] = json.loads(create.body)["items"]
    assert item["amount"] == {"currency": "JPY", "value": "5000"}


def test_a_repeat_finds_the_batch_that_was_sent_before():
    answer, _ = sent(TOKEN, (400, DUPLICATE))

    assert answer == BatchAnswer(kind=OutcomeKind.OK, remote_id="CR9VS2K4X4846")


def test_an_expired_token_is_fetched_anew_once():
    answer, calls = sent(TOKEN, (401, {}), TOKEN, (201, TAKEN))

    assert answer.remote_id == "5UXD2E8A7EBQJ"
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("_case", "answers", "kind"),
    [
        ("no token: not sent", [FailureKind.NO_ANSWER], OutcomeKind.RETRY),
        ("no connection", [FailureKind.NOT_SENT], OutcomeKind.RETRY),
        ("wrong secret", [(401, {"error": "invalid_client"})], OutcomeKind.CONFIG),
        ("no token in it", [{"a": 1}], OutcomeKind.RETRY),
        ("no JSON", [b"<html>"], OutcomeKind.RETRY),
        ("token refused twice", [TOKEN, (401, {}), TOKEN, (401, {})], OutcomeKind.CONFIG),
        ("not allowed to pay", [TOKEN, (403, {})], OutcomeKind.CONFIG),
        ("too many", [TOKEN, (429, {})], OutcomeKind.RETRY),
        ("after taking", [TOKEN, (500, {})], OutcomeKind.AMBIGUOUS),
        ("perhaps after taking", [TOKEN, (503, {})], OutcomeKind.AMBIGUOUS),
        ("unreadable", [TOKEN, (201, b"{")], OutcomeKind.AMBIGUOUS),
        ("no number", [TOKEN, (201, {"batch_header": {}})], OutcomeKind.AMBIGUOUS),
        ("number is a path", [TOKEN, (201, {"batch_header": {"payout_batch_id": "../x"}})], OutcomeKind.AMBIGUOUS),
        ("invalid", [TOKEN, (400, {"name": "VALIDATION_ERROR"})], OutcomeKind.REJECTED),
        ("no funds", [TOKEN, (422, {"name": "INSUFFICIENT_FUNDS"})], OutcomeKind.REJECTED),
    ],
)  # fmt: skip
def test_each_bad_answer_has_its_kind(_case, answers, kind):
    answer, _ = sent(*answers)

    assert (answer.kind, answer.remote_id) == (kind, "")
    assert answer.detail


def test_paypals_own_words_are_kept():
    fault = {
        "name": "VALIDATION_ERROR",
        "message": "Invalid request - see details.",
        "details": [{"field": "items[0].receiver", "issue": "Receiver is invalid"}],
    }

    answer, _ = sent(TOKEN, (400, fault))

    assert answer.detail == (
        "The provider answered with status 400: VALIDATION_ERROR: Invalid request - see "
        "details.: Receiver is invalid"
    )


def item_of(number: int, status: str, **values: Any) -> dict[str, Any]:
    return {
        "payout_item_id": f"I{number}",
        "transaction_id": f"T{number}",
        "transaction_status": status,
        "payout_item_fee": {"currency": "EUR", "value": "0.25"},
        "payout_item": {
            "receiver": f"partner{number}@example.org",
            "amount": {"currency": "EUR", "value": "12.50"},
            "sender_item_id": f"PAYOUT-{number}",
            **values,
        },
    }


def page(*items: Any, pages: int = 1, status: str = "SUCCESS") -> dict[str, Any]:
    header = {"payout_batch_id": "P1", "batch_status": status}
    return {"total_pages": pages, "batch_header": header, "items": list(items)}


def looked_up(*answers: Any, transfers: tuple[Transfer, ...] = ()) -> Any:
    known = batch(*transfers, remote_id="P1")
    return converse(PayPalPayouts().look_up, known, SETTINGS, TOKEN, *answers)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("SUCCESS", ItemState.PAID),
        ("PENDING", ItemState.PENDING),
        ("NEW", ItemState.PENDING),
        ("UNCLAIMED", ItemState.HELD),
        ("ONHOLD", ItemState.HELD),
        ("BLOCKED", ItemState.HELD),
        ("FAILED", ItemState.FAILED),
        ("DENIED", ItemState.FAILED),
        ("RETURNED", ItemState.RETURNED),
        ("REFUNDED", ItemState.RETURNED),
        ("REVERSED", ItemState.RETURNED),
    ],
)
def test_each_state_of_an_item(status, state):
    answer, [_, look] = looked_up(page(item_of(17, status)))

    assert (answer.kind, answer.remote_id) == (OutcomeKind.OK, "P1")
    [item] = answer.items
    assert (item.reference, item.state) == ("PAYOUT-17", state)
    assert (item.amount, item.currency) == (1_250, "EUR")
    assert (item.remote_ref, item.fee) == ("T17", "0.25 EUR")
    assert look.url == (
        f"{API}/v1/payments/payouts/P1?page=1&page_size={PAGE_SIZE}&total_required=true"
    )


def test_why_an_item_was_not_paid_is_kept():
    item = item_of(17, "UNCLAIMED")
    item["errors"] = {"name": "RECEIVER_UNREGISTERED", "message": "Not registered."}

    answer, _ = looked_up(page(item))

    assert answer.items[0].detail == "PayPal: UNCLAIMED. Not registered."


def test_what_the_recipient_got_in_another_currency_is_kept():
    item = item_of(17, "SUCCESS")
    item["currency_conversion"] = {"to_amount": {"currency": "USD", "value": "13.37"}}

    answer, _ = looked_up(page(item))

    [item] = answer.items
    assert (item.received, item.received_currency) == (1_337, "USD")
    assert (item.amount, item.currency, item.detail) == (1_250, "EUR", "")


def test_what_was_not_converted_is_received_as_it_was_sent():
    answer, _ = looked_up(page(item_of(17, "SUCCESS")))

    assert (answer.items[0].received, answer.items[0].received_currency) == (None, "")


def test_all_pages_are_read():
    transfers = tuple(transfer(number) for number in range(3))
    pages = [page(item_of(number, "SUCCESS"), pages=3) for number in range(3)]

    answer, calls = looked_up(*pages, transfers=transfers)

    assert [item.reference for item in answer.items] == [
        f"PAYOUT-{n}" for n in range(3)
    ]
    assert len(calls) == 4


@pytest.mark.parametrize(
    ("_case", "item"),
    [
        ("another's number", item_of(18, "SUCCESS")),
        ("an unknown state", item_of(17, "TELEPORTED")),
        ("no state", {"payout_item": {"sender_item_id": "PAYOUT-17"}}),
        ("nothing", {}),
        ("no object", "SUCCESS"),
    ],
)
def test_what_is_no_answer_to_ours_is_left_out(_case, item):
    answer, _ = looked_up(page(item))

    assert (answer.kind, answer.items) == (OutcomeKind.OK, [])


@pytest.mark.parametrize(
    "values",
    [
        {"receiver": "somebody@example.org"},
        {"amount": {"currency": "EUR", "value": "1e9"}},
        {"amount": {"currency": "EUR", "value": "12.505"}},
        {"amount": None},
    ],
)
def test_money_to_another_or_of_no_readable_amount_has_none(values):
    answer, _ = looked_up(page(item_of(17, "SUCCESS", **values)))

    assert answer.items[0].amount is None


@pytest.mark.parametrize("status", ["DENIED", "CANCELED"])
def test_a_batch_that_is_refused_as_a_whole(status):
    paid = item_of(17, "SUCCESS")

    answer, _ = looked_up(
        page(paid, status=status), transfers=(transfer(), transfer(18))
    )

    assert answer.kind is OutcomeKind.OK
    assert [(item.reference, item.state) for item in answer.items] == [
        ("PAYOUT-17", ItemState.PAID),
        ("PAYOUT-18", ItemState.FAILED),
    ]
    assert answer.items[1].detail == f"PayPal: the batch is {status}."


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([(404, {"name": "INVALID_RESOURCE_ID"})], OutcomeKind.NOT_FOUND),
        ([(503, {})], OutcomeKind.RETRY),
        ([page(item_of(17, "SUCCESS"), pages=2), (500, {})], OutcomeKind.RETRY),
    ],
)
def test_a_look_up_that_fails_books_nothing(answers, kind):
    answer, _ = looked_up(*answers)

    assert (answer.kind, list(answer.items)) == (kind, [])
