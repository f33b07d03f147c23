"""The merchant's login at Post Affiliate Pro, and the session it opens."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from affiliates.outbox.http.types import CallFailed, FailureKind
from affiliates.outbox.protocol import Unsupported
from affiliates.outbox.types import CallOutcome, OutcomeKind
from tests.affiliates.tracking.providers.conversation import answer
from tests.affiliates.tracking.providers.pap_merchant import (
    LOGGED_IN,
    SESSION,
    action,
    replied,
    reverse,
)
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    LOOKUP,
    PASSWORD,
    merchant_settings,
    refund,
    request_of,
    settings,
)
from tests.cases import each

PART = refund(amount=Decimal("12.50"))


def test_login_is_the_merchants():
    calls, _ = reverse(LOGGED_IN, action())

    assert calls[0].method == "POST"
    assert calls[0].url == "https://pap.example/scripts/server.php"
    assert calls[0].headers == (("Content-Type", "application/x-www-form-urlencoded"),)
    assert request_of(calls[0]) == {
        "C": "Pap_Api_AuthService",
        "M": "authenticate",
        "fields": [
            ["name", "value", "values", "error"],
            ["username", "bot@shop.example", None, ""],
            ["password", PASSWORD, None, ""],
            ["roleType", "M", None, ""],
            ["isFromApi", "Y", None, ""],
            ["apiVersion", "", None, ""],
        ],
    }


def test_everything_secret_in_a_call_is_marked():
    calls, _ = reverse(LOGGED_IN, action())

    login, run = calls
    assert PASSWORD in login.secrets
    assert SESSION in run.secrets
    for call in calls:
        body = call.body.decode()
        for secret in call.secrets:
            body = body.replace(secret, "")
        assert body == ""


def test_session_that_ended_is_opened_once_more():
    ended = replied({"e": "Session expired. Please log in again."})

    calls, outcome = reverse(LOGGED_IN, ended, LOGGED_IN, action())

    assert [request_of(call)["M"] for call in calls] == [
        "authenticate",
        "run",
        "authenticate",
        "run",
    ]
    assert outcome.kind is OutcomeKind.OK


def test_session_that_ends_again_is_a_refusal():
    ended = replied({"e": "Session expired. Please log in again."})

    _, outcome = reverse(LOGGED_IN, ended, LOGGED_IN, ended)

    assert outcome == CallOutcome(
        kind=OutcomeKind.REJECTED,
        detail=(
            "Post Affiliate Pro ended the session at once, twice: check what the "
            "merchant's login may do."
        ),
    )


def test_older_install_is_asked_by_its_own_name():
    unknown = answer('{"e":"Class does not exist"}')

    calls, outcome = reverse(unknown, LOGGED_IN, action())

    assert request_of(calls[1])["C"] == "Gpf_Api_AuthService"
    assert outcome.kind is OutcomeKind.OK


@each(
    ("_case", "answers", "kind"),
    [
        ("wrong password", [answer('{"success":"N","fields":[]}')], OutcomeKind.CONFIG),
        ("error", [answer('{"e":"no"}')], OutcomeKind.CONFIG),
        ("no session", [answer('{"success":"Y","fields":[]}')], OutcomeKind.CONFIG),
        ("blank session", [answer('{"fields":[["S",""]]}')], OutcomeKind.CONFIG),
        ("page", [answer("<html>")], OutcomeKind.CONFIG),
        ("no class", [answer('{"e":"Class does not exist"}')] * 2, OutcomeKind.CONFIG),
        ("not there", [answer(status=404)], OutcomeKind.CONFIG),
        ("busy", [answer(status=429)], OutcomeKind.RETRY),
        ("broken", [answer(status=500)], OutcomeKind.RETRY),
        ("not sent", [CallFailed(FailureKind.NOT_SENT, "x")], OutcomeKind.RETRY),
        ("no answer", [CallFailed(FailureKind.NO_ANSWER, "x")], OutcomeKind.RETRY),
        ("forbidden", [CallFailed(FailureKind.FORBIDDEN, "x")], OutcomeKind.CONFIG),
        ("certificate", [CallFailed(FailureKind.CERTIFICATE, "x")], OutcomeKind.CONFIG),
    ],
)
def test_nothing_was_done_when_the_login_failed(answers, kind):
    configured = merchant_settings(partial_refunds=True)

    calls, outcome = reverse(*answers, facts=PART, configured=configured)

    assert outcome.kind is kind
    assert all(request_of(call)["M"] == "authenticate" for call in calls)


def test_failure_after_the_login_is_judged_by_the_sender():
    with pytest.raises(CallFailed):
        reverse(LOGGED_IN, CallFailed(FailureKind.NO_ANSWER, "gone"))


def test_password_that_is_missing_is_asked_for():
    configured = replace(merchant_settings(), secrets={})

    assert reverse(configured=configured) == (
        [],
        CallOutcome(
            kind=OutcomeKind.CONFIG, detail="Enter the merchant's password again."
        ),
    )


@pytest.mark.parametrize("facts", [refund(), LOOKUP])
def test_without_a_login_there_is_neither_refund_nor_look_up(facts):
    assert not ADAPTER.supports(facts.operation, settings())
    # A visit knows no credentials, only that there are some.
    assert ADAPTER.supports(facts.operation, replace(merchant_settings(), secrets={}))
    with pytest.raises(Unsupported):
        ADAPTER.run(facts, "", settings())
