"""One transfer: what is asked for, and what Wise's words mean."""

from __future__ import annotations

import pytest

from affiliates.contrib.wise import items
from affiliates.payouts.providers.sender import ItemState
from tests.affiliates.contrib.wise.payouts import (
    EUR,
    GBP,
    IBAN,
    REFERENCE,
    USD,
    payout,
    transfer,
)

ABROAD = payout(details=USD)


@pytest.mark.parametrize(
    ("word", "state", "detail"),
    [
        ("incoming_payment_waiting", ItemState.HELD, "Waits for you to fund it in Wise."),
        ("incoming_payment_initiated", ItemState.PENDING, "Wise: incoming_payment_initiated."),
        ("processing", ItemState.PENDING, "Wise: processing."),
        ("funds_converted", ItemState.PENDING, "Wise: funds_converted."),
        ("outgoing_payment_sent", ItemState.PAID, ""),
        ("waiting_recipient_input_to_proceed", ItemState.HELD, "Wise: waiting_recipient_input_to_proceed."),
        ("bounced_back", ItemState.HELD, "Wise: bounced_back."),
        ("charged_back", ItemState.HELD, "Wise: charged_back."),
        ("cancelled", ItemState.FAILED, "Wise: cancelled."),
        ("funds_refunded", ItemState.RETURNED, "Wise: funds_refunded."),
        ("teleported", ItemState.PENDING, "Wise: teleported."),
    ],
)  # fmt: skip
def test_each_state_of_a_transfer(word, state, detail):
    item = items.read_item(transfer(payout(), word), payout())

    assert (item.reference, item.state, item.detail) == ("PAYOUT-17", state, detail)
    assert (item.amount, item.currency, item.remote_ref) == (1_250, "EUR", "17")
    assert (item.received, item.received_currency, item.fee) == (None, "", "")


@pytest.mark.parametrize(
    "values",
    [
        {"targetValue": "12.49"},
        {"targetValue": "12.505"},
        {"targetValue": "1e9"},
        {"targetValue": None},
        {"targetCurrency": "USD"},
        {"sourceCurrency": "USD"},
    ],
)
def test_other_money_than_the_payouts_is_not_its_amount(values):
    content = transfer(payout(), "outgoing_payment_sent", **values)

    assert items.read_item(content, payout()).amount != 1_250


@pytest.mark.parametrize(
    ("_case", "word", "source", "amount"),
    [
        ("exact", "outgoing_payment_sent", "12.50", 1_250),
        ("rounded by the rate", "outgoing_payment_sent", "12.49", 1_250),
        ("within the drift", "outgoing_payment_sent", "12.62", 1_250),
        ("beyond it", "outgoing_payment_sent", "12.64", 1_264),
        ("nothing", "outgoing_payment_sent", "0", 0),
        ("given back", "funds_refunded", "0", 1_250),
        ("never taken", "cancelled", "0", 1_250),
        ("unreadable", "outgoing_payment_sent", "-1", None),
    ],
)
def test_a_converted_payout_has_both_amounts(_case, word, source, amount):
    content = transfer(ABROAD, word, sourceValue=source, targetValue="13.37")

    item = items.read_item(content, ABROAD)

    assert (item.amount, item.currency) == (amount, "EUR")
    assert (item.received, item.received_currency) == (1_337, "USD")


@pytest.mark.parametrize(
    ("amount", "currency", "details", "rate", "wanted"),
    [
        (1_250, "EUR", USD, "1.0869", 1_358),
        (1_250, "EUR", GBP, "0.86", 1_075),
        (5_000, "JPY", EUR, "0.00613", 3_065),
        (1, "JPY", EUR, "0.00613", 0),
        (99_999_999_999, "EUR", USD, "1.08695652", 108_695_651_998),
        (1_250, "EUR", USD, None, None),
        (1_250, "EUR", USD, "NaN", None),
        (1_250, "EUR", USD, "Infinity", None),
    ],
)
def test_it_is_converted_to_the_minor_unit_and_rounded_down(
    amount, currency, details, rate, wanted
):
    sent = payout(amount=amount, currency=currency, details=details)

    assert items.converted(sent, rate) == wanted


def test_a_number_is_that_of_one_payout_to_one_account_in_one_batch():
    numbers = {
        items.transfer_number(REFERENCE, payout()),
        items.transfer_number("BATCH-4-20260301120000", payout()),
        items.transfer_number(REFERENCE, payout(18)),
        items.transfer_number(REFERENCE, payout(amount=1_251)),
        items.transfer_number(REFERENCE, payout(currency="CHF")),
        items.transfer_number(REFERENCE, payout(details=GBP)),
    }

    assert len(numbers) == 6
    # It must never change: Wise pays each number once.
    number = items.transfer_number(REFERENCE, payout(text="Another"))
    assert number == "f446fd47-4eb3-52fa-90d8-5f6626817e95"


@pytest.mark.parametrize(
    ("details", "type_", "account"),
    [
        (EUR, "iban", {"iban": IBAN}),
        (GBP, "sort_code", {"sortCode": "231470", "accountNumber": "28821822"}),
        (
            USD,
            "aba",
            {
                "abartn": "111000025",
                "accountNumber": "12345678",
                "accountType": "CHECKING",
                "address": {
                    "firstLine": "50 Branson Ave",
                    "city": "New York",
                    "postCode": "10025",
                    "state": "NY",
                    "country": "US",
                },
            },
        ),
    ],
)
def test_a_recipient_is_described_as_wise_does(details, type_, account):
    assert items.recipient_of(payout(details=details), "7") == {
        "profile": 7,
        "accountHolderName": "Ann Johnson",
        "currency": details["payout_currency"],
        "type": type_,
        "details": {"legalType": "PRIVATE", **account},
    }


@pytest.mark.parametrize(
    ("number", "details", "text"),
    [
        (17, EUR, "Affiliate payout 17 of Hosting"),
        (17, GBP, "PAYOUT-17"),
        (17, USD, "PAYOUT-17"),
        (12_345, USD, ""),
    ],
)
def test_the_text_is_as_long_as_the_route_allows(number, details, text):
    assert items.text_of(payout(number, details=details)) == text
