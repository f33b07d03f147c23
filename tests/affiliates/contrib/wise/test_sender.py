"""Wise's conversation, call by call. Nobody here has seen the real service."""

from __future__ import annotations

import json

import pytest

from affiliates.contrib.wise.group import ABSENT, AUTHENTICATION, FUND_PAGE, PAGE_SIZE
from affiliates.contrib.wise.items import transfer_number
from affiliates.contrib.wise.sender import WiseTransfers
from affiliates.outbox.http.types import CallFailed, FailureKind
from affiliates.outbox.protocol import ConfigError, ProviderSettings
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.sender import BatchAnswer, ItemState
from tests.affiliates.contrib.conversations import converse
from tests.affiliates.contrib.wise.payouts import (
    API,
    GROUP,
    REFERENCE,
    SETTINGS,
    TOKEN,
    USD,
    batch,
    group,
    payout,
    transfer,
)

WISE = WiseTransfers()
FUNDING = ProviderSettings(
    address=API,
    parameters=(),
    values={"profile": "7", "funds": True},
    secrets={"token": TOKEN},
)
WAITING, SENT = "incoming_payment_waiting", "outgoing_payment_sent"
ACCOUNT, QUOTE = {"id": 55}, {"id": "q-1", "targetAmount": 12.5}
FUND_IT = f"Waits for you to fund it in Wise, as {REFERENCE}: {FUND_PAGE}"
TAKEN = [ACCOUNT, QUOTE, transfer(payout(), WAITING)]
REFUSED = (422, {"errors": [{"path": "iban", "message": "No such account."}]})


def opened(*answers):
    return converse(WISE.send, batch(), SETTINGS, *answers)


def looked_up(*answers, transfers=(), settings=SETTINGS):
    known = batch(*transfers, remote_id=GROUP)
    return converse(WISE.look_up, known, settings, *answers)


def test_sending_opens_an_empty_group():
    answer, [call] = opened((201, group()))

    assert answer == BatchAnswer(kind=OutcomeKind.OK, remote_id=GROUP)
    assert (call.method, call.url) == ("POST", f"{API}/v3/profiles/7/batch-groups")
    assert json.loads(call.body) == {"sourceCurrency": "EUR", "name": REFERENCE}
    assert dict(call.headers)["Authorization"] == f"Bearer {TOKEN}"
    assert call.secrets == (TOKEN,)


@pytest.mark.parametrize(
    ("_case", "answer", "kind"),
    [
        ("perhaps after opening", (500, {}), OutcomeKind.RETRY),
        ("too many", (429, {}), OutcomeKind.RETRY),
        ("no JSON", b"<html>", OutcomeKind.RETRY),
        ("no number", {"id": None}, OutcomeKind.RETRY),
        ("number is a path", {"id": "../x"}, OutcomeKind.RETRY),
        ("wrong token", (401, {}), OutcomeKind.CONFIG),
        ("not allowed", (403, {}), OutcomeKind.CONFIG),
        ("invalid", (422, {"message": "No such currency."}), OutcomeKind.REJECTED),
    ],
)
def test_each_bad_answer_has_its_kind(_case, answer, kind):
    said, _ = opened(answer)

    assert (said.kind, said.remote_id) == (kind, "")
    assert said.detail


def test_a_group_is_filled_closed_and_waits_for_its_owner():
    answer, calls = looked_up(
        group(), [], *TAKEN, group("NEW", 17, version=-8), group("COMPLETED", 17)
    )

    assert [(call.method, call.url.removeprefix(API)) for call in calls] == [
        ("GET", f"/v3/profiles/7/batch-groups/{GROUP}"),
        (
            "GET",
            "/v1/transfers?profile=7&createdDateStart=2026-02-28"
            f"&createdDateEnd=2026-03-08&limit={PAGE_SIZE}&offset=0",
        ),
        ("POST", "/v1/accounts"),
        ("POST", "/v3/profiles/7/quotes"),
        ("POST", f"/v3/profiles/7/batch-groups/{GROUP}/transfers"),
        ("GET", f"/v3/profiles/7/batch-groups/{GROUP}"),
        ("PATCH", f"/v3/profiles/7/batch-groups/{GROUP}"),
    ]
    assert json.loads(calls[3].body) == {
        "sourceCurrency": "EUR",
        "targetCurrency": "EUR",
        "targetAccount": 55,
        "targetAmount": 12.5,
    }
    assert json.loads(calls[4].body) == {
        "targetAccount": 55,
        "quoteUuid": "q-1",
        "customerTransactionId": transfer_number(REFERENCE, payout()),
        "details": {"reference": "Affiliate payout 17 of Hosting"},
    }
    assert json.loads(calls[6].body) == {"status": "COMPLETED", "version": -8}
    assert (answer.kind, answer.detail) == (OutcomeKind.OK, FUND_IT)
    assert [(item.state, item.amount) for item in answer.items] == [
        (ItemState.HELD, 1_250)
    ]


def test_a_payout_in_another_currency_is_quoted_by_what_arrives():
    abroad = payout(details=USD)
    answer, calls = looked_up(
        group(),
        [],
        ACCOUNT,
        {"id": "q-0", "rate": 1.0869},
        {"id": "q-1", "targetAmount": 13.58},
        transfer(abroad, WAITING, targetValue=13.58),
        group("NEW", 17),
        group("COMPLETED", 17),
        transfers=(abroad,),
    )

    told, paid = (json.loads(calls[at].body) for at in (3, 4))
    assert (told["sourceAmount"], "targetAmount" in told) == (12.5, False)
    assert (paid["targetAmount"], "sourceAmount" in paid) == (13.58, False)
    assert json.loads(calls[5].body)["quoteUuid"] == "q-1"
    [item] = answer.items
    assert (item.amount, item.currency) == (1_250, "EUR")
    assert (item.received, item.received_currency) == (1_358, "USD")


@pytest.mark.parametrize(
    "quotes",
    [[{"id": "q-0"}], [{"rate": "x"}], [{"rate": 1.0869}, {"targetAmount": 13.57}]],
)
def test_a_quote_that_cannot_be_read_pays_nothing(quotes):
    answer, _ = looked_up(
        group(), [], ACCOUNT, *quotes, transfers=(payout(details=USD),)
    )

    assert (answer.kind, list(answer.items)) == (OutcomeKind.RETRY, [])


@pytest.mark.parametrize(
    "answers",
    [
        [REFUSED],
        [ACCOUNT, REFUSED],
        [ACCOUNT, QUOTE, REFUSED],
    ],
)
def test_a_refused_payout_fails_after_closing_and_the_others_go_on(answers):
    both = (payout(), payout(18))
    taken = [ACCOUNT, QUOTE, transfer(payout(18), WAITING)]

    answer, _ = looked_up(
        group(),
        [],
        *answers,
        *taken,
        group("NEW", 18),
        group("COMPLETED", 18),
        transfers=both,
    )

    first, second = answer.items
    assert (first.state, first.amount) == (ItemState.FAILED, 1_250)
    assert first.detail == ("The provider answered with status 422: No such account.")
    assert (second.reference, second.state) == ("PAYOUT-18", ItemState.HELD)


def test_nothing_fails_before_the_group_is_closed():
    answer, _ = looked_up(group(), [], REFUSED, group("NEW"), (409, {}))

    assert (answer.kind, list(answer.items)) == (OutcomeKind.RETRY, [])


def test_a_payout_that_another_process_added_is_not_refused():
    answer, _ = looked_up(
        group(),
        [],
        REFUSED,
        group("NEW", 17, version=2),
        group("COMPLETED", 17, version=3),
        transfer(payout(), WAITING),
    )

    assert [item.state for item in answer.items] == [ItemState.HELD]


def test_a_group_without_any_transfer_is_cancelled():
    answer, calls = looked_up(group(), [], REFUSED, group(), group("CANCELLED"))

    assert json.loads(calls[-1].body) == {"status": "CANCELLED", "version": 1}
    assert [item.state for item in answer.items] == [ItemState.FAILED]


def test_a_transfer_of_another_group_is_not_made_again():
    answer, calls = looked_up(
        group(), [transfer(payout(), SENT)], group(), group("CANCELLED")
    )

    assert [call.method for call in calls] == ["GET", "GET", "GET", "PATCH"]
    assert [item.state for item in answer.items] == [ItemState.PAID]


def test_a_closed_group_is_read_by_pages_and_by_numbers():
    payouts = tuple(payout(number) for number in range(1, PAGE_SIZE + 3))
    rows = [transfer(one, SENT) for one in payouts]
    numbers = range(1, PAGE_SIZE + 3)

    answer, calls = looked_up(
        group("COMPLETED", *numbers),
        rows[:PAGE_SIZE],
        rows[PAGE_SIZE:-1],
        rows[-1],
        transfers=payouts,
    )

    assert [item.state for item in answer.items] == [ItemState.PAID] * len(payouts)
    assert calls[2].url.endswith(f"limit={PAGE_SIZE}&offset={PAGE_SIZE}")
    assert calls[3].url == f"{API}/v1/transfers/{PAGE_SIZE + 2}"
    assert answer.detail == ""


def test_a_payout_in_no_transfer_of_a_closed_group_has_failed():
    answer, _ = looked_up(group("COMPLETED"), [])

    assert [(item.state, item.detail) for item in answer.items] == [
        (ItemState.FAILED, ABSENT)
    ]


@pytest.mark.parametrize("status", ["MARKED_FOR_CANCELLATION", "PROCESSING_CANCEL"])
def test_a_group_that_is_being_cancelled_decides_nothing_yet(status):
    answer, _ = looked_up(group(status), [])

    assert (answer.kind, list(answer.items)) == (OutcomeKind.OK, [])


@pytest.mark.parametrize(
    ("_case", "answers", "kind"),
    [
        ("unknown", [(404, {})], OutcomeKind.NOT_FOUND),
        ("down", [(503, {})], OutcomeKind.RETRY),
        ("token", [(401, {})], OutcomeKind.CONFIG),
        ("unreadable list", [group("COMPLETED"), {"a": 1}], OutcomeKind.RETRY),
        ("no numbers", [{"status": "COMPLETED"}, []], OutcomeKind.RETRY),
        ("odd numbers", [{"status": "COMPLETED", "transferIds": ["x"]}, []], OutcomeKind.RETRY),
        ("a page is missing", [group("COMPLETED", 17), (500, {})], OutcomeKind.RETRY),
        ("a transfer is missing", [group("COMPLETED", 17), [], (500, {})], OutcomeKind.RETRY),
    ],
)  # fmt: skip
def test_a_look_up_that_fails_books_nothing(_case, answers, kind):
    answer, _ = looked_up(*answers)

    assert (answer.kind, list(answer.items)) == (kind, [])


def test_a_lost_call_ends_the_conversation():
    with pytest.raises(CallFailed):
        looked_up(group(), [], ACCOUNT, FailureKind.NO_ANSWER)


@pytest.mark.parametrize(
    ("_case", "payment", "detail"),
    [
        ("funded", {"status": "COMPLETED", "errorCode": None}, ""),
        ("funded, without a word", (204, b""), ""),
        ("by a person", (403, {}), f"{AUTHENTICATION} {FUND_IT}"),
        (
            "too little",
            {"status": "REJECTED", "errorCode": "transfer.insufficient_funds"},
            f"Wise: transfer.insufficient_funds. {FUND_IT}",
        ),
        (
            "refused",
            (422, {"message": "Funded."}),
            f"The provider answered with status 422: Funded. {FUND_IT}",
        ),
    ],
)
def test_it_is_funded_from_the_balance_where_the_account_says_so(
    _case, payment, detail
):
    answer, calls = looked_up(
        group("COMPLETED", 17), [transfer(payout(), WAITING)], payment, settings=FUNDING
    )

    assert calls[-1].url == f"{API}/v3/profiles/7/batch-payments/{GROUP}/payments"
    assert json.loads(calls[-1].body) == {"type": "BALANCE"}
    assert (answer.kind, answer.detail) == (OutcomeKind.OK, detail)
    assert [item.state for item in answer.items] == [ItemState.HELD]


def test_a_group_of_which_something_has_moved_on_is_not_funded_again():
    both = (payout(), payout(18))
    rows = [transfer(both[0], WAITING), transfer(both[1], SENT)]

    answer, calls = looked_up(
        group("COMPLETED", 17, 18), rows, transfers=both, settings=FUNDING
    )

    assert (len(calls), answer.detail) == (2, FUND_IT)


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b'{"data": {"resource": {"type": "transfer", "id": 17}}}', "17"),
        (b'{"data": {"resource": {"id": "17"}}}', ""),
        (b'{"data": {"resource": {"id": true}}}', ""),
        (b'{"data": []}', ""),
        (b"{", ""),
        (b"[" * 60_000, ""),
    ],
)
def test_a_call_of_wises_names_a_transfer(body, number):
    assert WISE.named_in(body) == number


@pytest.mark.parametrize("profile", ["", "7/../8", "٧"])
def test_a_profile_is_a_number(profile):
    settings = ProviderSettings(
        address=API, parameters=(), values={"profile": profile}, secrets={}
    )

    with pytest.raises(ConfigError) as refusal:
        WISE.clean(settings)

    assert refusal.value.faults == {"profile": "Enter the number alone."}
