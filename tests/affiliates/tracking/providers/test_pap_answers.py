"""How Post Affiliate Pro's answers to clicks, sales, leads and probes are read."""

from __future__ import annotations

import pytest

from affiliates.outbox.http.types import CallFailed, FailureKind, Response
from affiliates.outbox.types import CallOutcome, OutcomeKind
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    PROBE,
    VISITOR,
    lead,
    merchant_settings,
    query_of,
    request_of,
    sale,
    settings,
    visit,
)

OTHER = "4c5e2151b8856e55dbfeb247c22300Hg"
ACCEPTED = "Accepted; the provider does not say what it did with it."
LOGGED_IN = '{"fields":[["name","value"],["S","sess-1"]],"success":"Y"}'
REFUSED = '{"fields":[],"success":"N","message":"Wrong username"}'


def click(response: Response) -> CallOutcome:
    run = ADAPTER.run(visit(), VISITOR, settings())
    return converse(run, response)[1]


def sell(response: Response, **changes: object) -> CallOutcome:
    run = ADAPTER.run(sale(**changes), VISITOR, settings())
    return converse(run, response)[1]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\n \r\n",
        "\ufeff",
        "trackingFinished();",
        "setAffiliateInfo('testaff','11111111');\ntrackingFinished();\n",
        f"setVisitor('{VISITOR}');\n",
        f"setVisitor('{VISITOR.upper()}');trackingFinished();",
    ],
)
def test_blank_or_its_own_statements_are_accepted(body):
    expected = CallOutcome(kind=OutcomeKind.OK, detail=ACCEPTED)

    assert click(answer(body)) == expected
    assert sell(answer(body)) == expected


@pytest.mark.parametrize("tail", ["", "\n", "\ntrackingFinished();\n"])
def test_another_identifier_is_the_visitors_from_now_on(tail):
    body = f"setVisitor('{OTHER}');{tail}"

    outcome = click(answer(body))

    assert (outcome.kind, outcome.visitor_id) == (OutcomeKind.OK, OTHER)


def test_sale_under_another_identifier_warns_that_nobody_was_credited():
    outcome = sell(answer(f"setVisitor('{OTHER}');"))

    assert outcome == CallOutcome(
        kind=OutcomeKind.OK,
        visitor_id=OTHER,
        detail=(
            "Accepted, but the install did not take the visitor's identifier: the "
            "sale is probably credited to nobody. Run the connection test."
        ),
    )


def test_sale_that_carried_its_click_was_credited_under_the_other_identifier():
    outcome = sell(answer(f"setVisitor('{OTHER}');"), click=visit())

    assert outcome == CallOutcome(
        kind=OutcomeKind.OK, visitor_id=OTHER, detail=ACCEPTED
    )


def test_sale_of_no_visitor_is_answered_with_an_identifier_of_no_use():
    run = ADAPTER.run(sale(), "", settings())

    _, outcome = converse(run, answer(f"setVisitor('{OTHER}');"))

    assert outcome == CallOutcome(kind=OutcomeKind.OK, detail=ACCEPTED)


@pytest.mark.parametrize(
    "body", ["//Can not connect to database\n", f"setVisitor('{OTHER}');\n//failed\n"]
)
def test_error_of_the_install_is_tried_again_only_where_that_does_no_harm(body):
    detail = "Post Affiliate Pro met an error of its own while it tracked."

    assert click(answer(body)) == CallOutcome(kind=OutcomeKind.RETRY, detail=detail)
    assert sell(answer(body)) == CallOutcome(kind=OutcomeKind.AMBIGUOUS, detail=detail)
    run = ADAPTER.run(lead(), VISITOR, settings(lead_action="signup"))
    assert converse(run, answer(body))[1].kind is OutcomeKind.AMBIGUOUS


@pytest.mark.parametrize(
    "body", ["<html>login</html>", "\ufeff\n<!DOCTYPE html>", " <HEAD>//x\n//y"]
)
def test_page_is_no_answer(body):
    detail = (
        "A web page answered instead of Post Affiliate Pro's tracking: check the "
        "tracking address."
    )

    assert click(answer(body)) == CallOutcome(kind=OutcomeKind.CONFIG, detail=detail)
    assert sell(answer(body)) == CallOutcome(kind=OutcomeKind.CONFIG, detail=detail)


@pytest.mark.parametrize(
    "body",
    [
        "Warning: something",
        "{}",
        "setVisitor('a b');",
        "setVisitor('');",
        f"setVisitor('{'x' * 129}');",
        "setVisitor('abc')",
        b"\xff\xfe\x00",
        "trackingFinished(); and more",
        "<br />\n<b>Warning</b>: something in track.php on line 7<br />",
    ],
)
def test_anything_else_asks_for_a_look_at_the_settings_and_is_not_quoted(body):
    detail = (
        "The answer is not Post Affiliate Pro's: check the tracking address, and "
        "the error log of the install."
    )

    assert click(answer(body)) == CallOutcome(kind=OutcomeKind.CONFIG, detail=detail)
    # An install that prints a warning has counted the sale all the same.
    assert sell(answer(body)) == CallOutcome(kind=OutcomeKind.AMBIGUOUS, detail=detail)
    run = ADAPTER.run(lead(), VISITOR, settings(lead_action="signup"))
    assert converse(run, answer(body))[1].kind is OutcomeKind.AMBIGUOUS


@pytest.mark.parametrize(
    ("status", "for_click", "for_sale"),
    [
        (301, OutcomeKind.CONFIG, OutcomeKind.CONFIG),
        (404, OutcomeKind.CONFIG, OutcomeKind.CONFIG),
        (414, OutcomeKind.REJECTED, OutcomeKind.REJECTED),
        (429, OutcomeKind.RETRY, OutcomeKind.RETRY),
        (500, OutcomeKind.RETRY, OutcomeKind.AMBIGUOUS),
        (503, OutcomeKind.RETRY, OutcomeKind.RETRY),
    ],
)
def test_status_decides_before_the_body(status, for_click, for_sale):
    response = answer(f"setVisitor('{OTHER}');", status=status)

    assert click(response).kind is for_click
    assert sell(response).kind is for_sale


def test_wait_that_was_asked_for_is_kept():
    outcome = click(answer(status=429, headers={"retry-after": "120"}))

    assert outcome.retry_after == 120


@pytest.mark.parametrize("kind", list(FailureKind))
def test_click_and_sale_without_an_answer_are_judged_by_the_sender(kind):
    for facts in (visit(), sale()):
        run = ADAPTER.run(facts, VISITOR, settings())

        with pytest.raises(CallFailed):
            converse(run, CallFailed(kind, "gone"))


def test_probe_names_nobody_so_that_nothing_is_tracked():
    run = ADAPTER.run(PROBE, "", settings())

    calls, outcome = converse(run, answer())

    assert outcome == CallOutcome(
        kind=OutcomeKind.OK,
        detail=(
            "Tracking works. Without a merchant's login refunds are not sent and "
            "sales not looked up."
        ),
    )
    query = query_of(calls[0])
    assert query["visitorId"] == VISITOR
    assert (query["getParams"], query["anchor"], query["referrer"]) == ("", "", "")
    assert calls[0].body == b""


@pytest.mark.parametrize(
    ("_case", "response", "kind", "detail"),
    [
        (
            "other length",
            answer(f"setVisitor('{'x' * 40}');"),
            OutcomeKind.CONFIG,
            "The address is right, but this install wants visitor identifiers of 40 "
            "characters, not 32. Have its VISITOR_ID_LENGTH set to 32.",
        ),
        (
            "same length",
            answer(f"setVisitor('{OTHER}');"),
            OutcomeKind.CONFIG,
            "The address is right, but this install replaces the visitor identifiers "
            "sent to it. Ask its vendor why it does not accept 32 characters.",
        ),
        (
            "page",
            answer("<html>"),
            OutcomeKind.CONFIG,
            "A web page answered instead of Post Affiliate Pro's tracking: check the "
            "tracking address.",
        ),
        (
            "error",
            answer("//down"),
            OutcomeKind.RETRY,
            "Post Affiliate Pro met an error of its own while it tracked.",
        ),
        (
            "missing",
            answer(status=404),
            OutcomeKind.CONFIG,
            "The provider answered with status 404.",
        ),
    ],
)
def test_probe_says_what_is_wrong_and_does_not_log_in(_case, response, kind, detail):
    run = ADAPTER.run(PROBE, "", merchant_settings())

    calls, outcome = converse(run, response)

    assert len(calls) == 1
    assert outcome == CallOutcome(kind=kind, detail=detail)


@pytest.mark.parametrize(
    ("login", "kind", "detail"),
    [
        (
            answer(LOGGED_IN),
            OutcomeKind.OK,
            "Tracking works, and so does the merchant's login.",
        ),
        (
            answer(REFUSED),
            OutcomeKind.CONFIG,
            "Tracking works, the merchant's login does not. Post Affiliate Pro "
            "refused the merchant's login: check user name and password.",
        ),
        (
            CallFailed(FailureKind.NO_ANSWER, "pap.example gave no answer."),
            OutcomeKind.RETRY,
            "Tracking works, the merchant's login does not. pap.example gave no "
            "answer.",
        ),
    ],
)
def test_probe_tries_the_login_too(login, kind, detail):
    run = ADAPTER.run(PROBE, "", merchant_settings())

    calls, outcome = converse(run, answer(), login)

    assert request_of(calls[1])["M"] == "authenticate"
    assert outcome == CallOutcome(kind=kind, detail=detail)
