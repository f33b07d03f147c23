"""A provider whose templates the operator wrote."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from affiliates.core.urls import parse_http_url
from affiliates.outbox.http.types import CallFailed, FailureKind
from affiliates.outbox.protocol import ConfigError, Match, Unsupported
from affiliates.outbox.types import Operation, OutcomeKind, ProbeFacts
from affiliates.tracking.providers.custom import CustomPostback, CustomRemotePostback
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.told import (
    ADDRESS,
    ERASURE,
    LEAD,
    NOW,
    PARTIAL,
    REFUND,
    SALE,
    VISIT,
    stored,
)

CAPTURED = CustomPostback()
REMOTE = CustomRemotePostback()
SALE_TEMPLATE = "/pb?click={visitor_id}&order={order_ref}&sum={amount}&cur={currency}"


def captured(**values):
    return stored(CAPTURED, **{"sale_template": SALE_TEMPLATE, **values})


def never():
    raise AssertionError("nothing is minted for a captured identifier")


def test_sale_is_one_request_and_one_answer():
    run = CAPTURED.run(SALE, "clk-1", captured())

    calls, outcome = converse(run, answer("thanks"))

    assert [call.url for call in calls] == [
        f"{ADDRESS}/pb?click=clk-1&order=INV-1&sum=1019.90&cur=EUR"
    ]
    assert outcome.kind is OutcomeKind.OK


def test_every_fact_of_a_sale_has_a_macro():
    settings = captured(
        sale_template="/pb?k={kind}&u={occurred_unix}&i={occurred_iso}&p={product}"
        "&c={customer_ref}&ip={ip}&ua={ua}&a={account}&s={status}&t={secret}",
        account="me",
        status="approved",
        secrets={"secret": "hush"},
    )

    calls, _ = converse(CAPTURED.run(SALE, "clk-1", settings), answer())

    assert calls[0].url == (
        f"{ADDRESS}/pb?k=sale&u=1777897800&i=2026-05-04T12%3A30%3A00Z&p=plan%20a%26b"
        "&c=client-7&ip=203.0.113.7&ua=Mozilla%2F5.0%20%28X11%29&a=me&s=approved&t=hush"
    )
    assert "hush" in calls[0].secrets


def test_failed_call_is_left_to_whoever_made_it():
    run = CAPTURED.run(SALE, "clk-1", captured())
    next(run)

    with pytest.raises(CallFailed):
        run.throw(CallFailed(FailureKind.NO_ANSWER, "late"))


@pytest.mark.parametrize(
    ("operation", "facts"),
    [
        (Operation.CLICK, VISIT),
        (Operation.LEAD, LEAD),
        (Operation.REVERSAL, REFUND),
    ],
)
def test_operation_without_a_template_is_not_told(operation, facts):
    settings = captured()

    assert CAPTURED.supports(operation, settings) is False
    with pytest.raises(Unsupported):
        CAPTURED.run(facts, "clk-1", settings)


@pytest.mark.parametrize(
    ("operation", "facts", "template", "url"),
    [
        (
            Operation.CLICK,
            VISIT,
            "/k?aff={affiliate}&p={page}",
            "/k?aff=anna&p=https%3A%2F%2Fshop.example%2Fplans",
        ),
        (Operation.LEAD, LEAD, "/l?c={customer_ref}", "/l?c=client-7"),
        (
            Operation.REVERSAL,
            REFUND,
            "/r?o={order_ref}&k={kind}",
            "/r?o=INV-1&k=refund",
        ),
        (
            Operation.REVERSAL,
            PARTIAL,
            "/r?o={order_ref}&m={amount}",
            "/r?o=INV-1&m=19.90",
        ),
    ],
)
def test_operation_with_a_template_is_told(operation, facts, template, url):
    settings = captured(**{f"{operation}_template": template})

    calls, outcome = converse(CAPTURED.run(facts, "clk-1", settings), answer())

    assert CAPTURED.supports(operation, settings) is True
    assert [call.url for call in calls] == [ADDRESS + url]
    assert outcome.kind is OutcomeKind.OK


def test_look_up_is_never_told():
    assert CAPTURED.supports(Operation.LOOKUP, captured()) is False


def test_sale_without_an_identifier_is_refused_before_it_is_sent():
    calls, outcome = converse(CAPTURED.run(SALE, "", captured()))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED
    assert "without the provider's identifier" in outcome.detail


def test_sale_in_another_currency_is_refused_before_it_is_sent():
    settings = captured(only_currency="usd")

    calls, outcome = converse(CAPTURED.run(SALE, "clk-1", settings))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED
    assert outcome.detail == "The amount is in EUR; the provider takes USD only."


def test_part_of_a_sale_is_not_sent_as_the_whole():
    settings = captured(reversal_template="/r?o={order_ref}")

    calls, outcome = converse(CAPTURED.run(PARTIAL, "clk-1", settings))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED
    assert "lower INV-1 by 19.90 EUR there by hand" in outcome.detail


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (answer("done"), OutcomeKind.OK),
        (answer('{"error": "no such customer"}', status=404), OutcomeKind.NOT_FOUND),
        (answer(status=500), OutcomeKind.RETRY),
    ],
)
def test_an_erased_client_is_named_by_the_number_of_its_sales(reply, kind):
    settings = captured(
        erasure_template="DELETE /customers?id={customer_ref}&at={occurred_iso}"
    )

    calls, outcome = converse(CAPTURED.run(ERASURE, "", settings), reply)

    assert [(call.method, call.url) for call in calls] == [
        ("DELETE", f"{ADDRESS}/customers?id=client-7&at=2026-05-04T12%3A30%3A00Z")
    ]
    assert outcome.kind is kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, OutcomeKind.OK),
        (302, OutcomeKind.OK),
        (404, OutcomeKind.OK),
        (500, OutcomeKind.RETRY),
        (501, OutcomeKind.CONFIG),
    ],
)
def test_probe_asks_for_the_address_alone(status, kind):
    facts = ProbeFacts(visitor_id="a" * 32, now=NOW)
    settings = captured(secrets={"secret": "hush"})

    calls, outcome = converse(CAPTURED.run(facts, "", settings), answer(status=status))

    assert [(call.method, call.url, call.headers) for call in calls] == [
        ("GET", f"{ADDRESS}/", ())
    ]
    assert outcome.kind is kind


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sale_template", "/pb?x={unknown}"),
        ("sale_template", "https://evil.example/pb"),
        ("sale_template", ""),
        ("click_template", "/k?o={order_ref}"),
        ("lead_template", "/l?sum={amount}"),
        ("reversal_template", "/r?p={product}"),
        ("erasure_template", "/e?v={visitor_id}"),
        ("success", "json:x"),
        ("identifier_parameter", "click id"),
        ("identifier_parameter", ""),
        ("only_currency", "euro"),
        ("account", "line\nbreak"),
        ("account", "x" * 256),
    ],
)
def test_wrong_setting_is_refused_by_its_name(field, value):
    with pytest.raises(ConfigError) as refusal:
        captured(**{field: value})

    assert list(refusal.value.faults) == [field]
    assert refusal.value.faults[field]


def test_unprintable_secret_is_refused_without_being_shown():
    with pytest.raises(ConfigError) as refusal:
        captured(secrets={"secret": "hush\r\nHost: evil.example"})

    assert list(refusal.value.faults) == ["secret"]
    assert "hush" not in str(refusal.value)


def test_settings_are_stored_trimmed_with_defaults_and_nothing_else():
    settings = stored(
        CAPTURED,
        address=f"{ADDRESS}/base/",
        sale_template=f"  {SALE_TEMPLATE}\n",
        only_currency="eur",
        left_over="of another provider",
    )

    assert settings.address == f"{ADDRESS}/base"
    assert settings.values == {
        "identifier_parameter": "click_id",
        "click_template": "",
        "sale_template": SALE_TEMPLATE,
        "lead_template": "",
        "reversal_template": "",
        "erasure_template": "",
        "account": "",
        "status": "",
        "only_currency": "EUR",
        "success": "",
        "duplicate": "",
        "refused": "",
    }


@pytest.mark.parametrize(
    ("url", "match", "identifier"),
    [
        ("https://s.example/?click_id=abc", Match(affiliate="abc"), "abc"),
        ("https://s.example/?click_id=abc&aff=anna", Match(affiliate="anna"), "abc"),
        (
            "https://s.example/#click_id=a.b:c~d|e",
            Match(affiliate="a.b:c~d|e"),
            "a.b:c~d|e",
        ),
        ("https://s.example/?aff=anna", None, "held"),
        ("https://s.example/", None, "held"),
        ("https://s.example/?click_id=", None, "held"),
        ("https://s.example/?click_id=a%20b", None, "held"),
        ("https://s.example/?click_id=a%0Ab", None, "held"),
        ("https://s.example/?click_id=" + "a" * 129, None, "held"),
        ("https://s.example/?click_id=" + "a" * 5000, None, "held"),
        ("https://s.example/?click_id=%27;drop", None, "held"),
    ],
)
def test_usable_identifier_makes_the_visit_this_integrations(url, match, identifier):
    settings = captured(parameters=("aff",))
    address = parse_http_url(url)

    assert CAPTURED.match(address, settings) == match
    assert (
        CAPTURED.identify(address, settings, current="held", mint=never) == identifier
    )


def test_visit_without_an_identifier_gets_none():
    address = parse_http_url("https://s.example/")

    assert CAPTURED.identify(address, captured(), current="", mint=never) == ""


def test_identifier_parameter_is_one_of_the_integrations():
    settings = captured(parameters=("aff",), identifier_parameter="cid")

    assert CAPTURED.parameters_of(settings) == ("aff", "cid")


def test_remote_identifier_replaces_our_reference_when_the_click_is_answered():
    settings = stored(
        REMOTE,
        parameters=("ref",),
        click_template="/k?aff={affiliate}",
        sale_template=SALE_TEMPLATE,
        identifier_at="json:transaction_id",
    )
    address = parse_http_url("https://s.example/?ref=anna")

    _, outcome = converse(
        REMOTE.run(VISIT, "ours", settings),
        answer('{"transaction_id": "t-9"}'),
    )

    assert outcome.visitor_id == "t-9"
    assert REMOTE.identify(address, settings, current="", mint=lambda: "f" * 32) == (
        "f" * 32
    )
    assert REMOTE.identify(address, settings, current="held", mint=never) == "held"


def test_remote_place_of_the_identifier_is_checked():
    with pytest.raises(ConfigError) as refusal:
        stored(
            REMOTE,
            parameters=("ref",),
            click_template="/k",
            sale_template="/s",
            identifier_at="anywhere",
        )

    assert list(refusal.value.faults) == ["identifier_at"]


NAMES = "Enter names of letters, digits and . _ - with commas between them."


@pytest.mark.parametrize(
    ("adapter", "parameters", "fault"),
    [
        (CAPTURED, ("a_aid aid",), NAMES),
        (REMOTE, ("a_aid aid",), NAMES),
        (CAPTURED, ("aid", "a=b"), NAMES),
        (CAPTURED, tuple("abcdefghijk"), "Enter no more than 10 names."),
        (REMOTE, (), "Enter at least one parameter, such as a_aid."),
    ],
)
def test_affiliate_parameters_that_never_match_are_refused(adapter, parameters, fault):
    with pytest.raises(ConfigError) as refusal:
        stored(
            adapter,
            parameters=parameters,
            click_template="/k?aff={affiliate}",
            sale_template=SALE_TEMPLATE,
        )

    assert refusal.value.faults == {"parameters": fault}


def test_affiliate_parameters_are_optional_beside_a_captured_identifier():
    assert captured().parameters == ()
    assert captured(parameters=("aff", "aid", "aff")).parameters == ("aff", "aid")


def test_stored_template_of_another_release_is_a_setting_to_put_right():
    settings = captured()
    broken = replace(settings, values={**settings.values, "sale_template": "/{gone}"})

    calls, outcome = converse(CAPTURED.run(SALE, "clk-1", broken))

    assert calls == []
    assert outcome.kind is OutcomeKind.CONFIG


def test_part_of_a_sale_is_not_taken_back_twice_by_a_broken_answer():
    settings = captured(reversal_template="/r?o={order_ref}&m={amount}")

    _, part = converse(CAPTURED.run(PARTIAL, "clk-1", settings), answer(status=500))
    _, whole = converse(CAPTURED.run(REFUND, "clk-1", settings), answer(status=500))

    assert part.kind is OutcomeKind.AMBIGUOUS
    assert whole.kind is OutcomeKind.RETRY


def test_time_is_told_in_utc():
    settings = captured(sale_template="/pb?i={occurred_iso}")
    facts = replace(SALE, occurred_at=NOW.astimezone(timezone(timedelta(hours=2))))

    calls, _ = converse(CAPTURED.run(facts, "clk-1", settings), answer())

    assert calls[0].url == f"{ADDRESS}/pb?i=2026-05-04T12%3A30%3A00Z"
