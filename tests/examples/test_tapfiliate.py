"""Tapfiliate: clicks, sales, customers and refunds by its REST API."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import AppConfig
from hypothesis import given
from hypothesis import strategies as st
from tapfiliate.adapter import TapfiliateAdapter

from affiliates.core.urls import parse_http_url
from affiliates.outbox.http.types import CallFailed, FailureKind, Response
from affiliates.outbox.protocol import ConfigError, Match, Unsupported
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.types import (
    LookupFacts,
    Operation,
    OutcomeKind,
    ProbeFacts,
    RemoteSale,
)
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.told import (
    LEAD,
    NOW,
    PARTIAL,
    REFUND,
    SALE,
    VISIT,
    stored,
)

ADAPTER = TapfiliateAdapter()
# The tests of other modules know the product's providers alone.
REGISTERED = ADAPTERS.pop(ADAPTER.code)
API = "https://api.tapfiliate.com/1.6"
KEY = "key-1"
PACKAGE = Path(__file__).resolve().parents[2] / "examples/tapfiliate/tapfiliate"
LOOKUP = LookupFacts(order_ref="INV-1")
PROBE = ProbeFacts(visitor_id="a" * 32, now=NOW)
HELD = [
    {
        "id": 21,
        "external_id": "INV-1",
        "amount": 1019.9,
        "affiliate": {"id": "anna"},
        "commissions": [{"id": 5, "approved": None}],
    }
]
NO_ANSWER = CallFailed(FailureKind.NO_ANSWER, "late")


def settings(**changes):
    values = {"program_id": "my-program", "currency": "eur", **changes}
    return stored(
        ADAPTER,
        address=f"{API}/",
        parameters=("ref",),
        secrets={"api_key": KEY},
        **values,
    )


def told(facts, *answers, visitor_id="tap-1", configured=None):
    run = ADAPTER.run(facts, visitor_id, configured or settings())
    return converse(run, *answers)


def said(document, status=200):
    return answer(json.dumps(document), status=status)


def lines(calls):
    return [(call.method, call.url.removeprefix(API)) for call in calls]


def test_click_is_answered_with_the_visitors_identifier():
    calls, outcome = told(VISIT, said({"id": "3f2c-9a"}, 201))

    assert lines(calls) == [("POST", "/clicks/")]
    assert calls[0].headers == (
        ("X-Api-Key", KEY),
        ("Accept", "application/json"),
        ("Content-Type", "application/json"),
    )
    assert json.loads(calls[0].body) == {
        "referral_code": "anna",
        "landing_page": "https://shop.example/plans?ref=anna&x=1",
        "referrer": "https://blog.example/post",
        "ip": "203.0.113.7",
        "user_agent": "Mozilla/5.0 (X11)",
    }
    assert calls[0].secrets == (KEY,)
    assert outcome.kind is OutcomeKind.OK
    assert outcome.visitor_id == "3f2c-9a"


@pytest.mark.parametrize(
    ("_case", "response", "kind"),
    [
        (
            "nobody has the referral code",
            said({"message": "Resource not found"}, 404),
            OutcomeKind.NOT_FOUND,
        ),
        (
            "wrong address",
            answer("<html>Page not found", status=404),
            OutcomeKind.CONFIG,
        ),
        (
            "wrong key",
            said({"message": "Authentication Failed."}, 401),
            OutcomeKind.CONFIG,
        ),
        ("refused", said({"message": "no"}, 422), OutcomeKind.REJECTED),
        ("too many", answer(status=429), OutcomeKind.RETRY),
        ("broken", answer(status=500), OutcomeKind.RETRY),
        ("no id", said({}, 201), OutcomeKind.CONFIG),
        ("an id of no use", said({"id": "a b"}, 201), OutcomeKind.CONFIG),
        ("a page", answer("<html>"), OutcomeKind.CONFIG),
    ],
)
def test_click_that_is_not_taken(_case, response, kind):
    _, outcome = told(VISIT, response)

    assert outcome.kind is kind
    assert outcome.visitor_id == ""


def test_sale_carries_the_clicks_identifier_and_our_reference():
    calls, outcome = told(SALE, said({"id": 21}, 201))

    assert lines(calls) == [("POST", "/conversions/")]
    assert json.loads(calls[0].body) == {
        "program_id": "my-program",
        "external_id": "INV-1",
        "click_id": "tap-1",
        "amount": 1019.9,
    }
    assert outcome.kind is OutcomeKind.OK
    assert outcome.remote_ref == "21"


def test_commission_type_is_sent_where_set():
    calls, _ = told(
        SALE,
        said({"id": 21}, 201),
        configured=settings(commission_type="premium"),
    )

    assert json.loads(calls[0].body)["commission_type"] == "premium"


def test_refused_sale_that_is_there_is_a_repeat():
    calls, outcome = told(SALE, said({"message": "external_id taken"}, 422), said(HELD))

    assert lines(calls) == [
        ("POST", "/conversions/"),
        ("GET", "/conversions/?external_id=INV-1"),
    ]
    assert outcome.kind is OutcomeKind.DUPLICATE
    assert outcome.remote_ref == "21"


@pytest.mark.parametrize(
    ("_case", "held"),
    [
        ("nothing", []),
        ("another order, had the filter been ignored", [{"id": 9, "external_id": "X"}]),
    ],
)
def test_refused_sale_that_is_not_there_is_refused(_case, held):
    _, outcome = told(SALE, said({"message": "bad program"}, 422), said(held))

    assert outcome.kind is OutcomeKind.REJECTED
    assert "bad program" not in outcome.detail


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (answer(status=500), OutcomeKind.RETRY),
        (answer("<html>"), OutcomeKind.CONFIG),
        (said({"message": "Authentication Failed."}, 401), OutcomeKind.CONFIG),
    ],
)
def test_refused_sale_waits_while_nobody_can_look(response, kind):
    _, outcome = told(SALE, said({}, 422), response)

    assert outcome.kind is kind


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (answer(status=500), OutcomeKind.AMBIGUOUS),
        (answer(status=503), OutcomeKind.RETRY),
        (answer(status=401), OutcomeKind.CONFIG),
        (answer(status=404), OutcomeKind.CONFIG),
        (answer(status=400), OutcomeKind.REJECTED),
        (answer("<html>"), OutcomeKind.AMBIGUOUS),
        (said({"id": "../x"}, 201), OutcomeKind.AMBIGUOUS),
    ],
)
def test_sale_that_is_not_taken(response, kind):
    _, outcome = told(SALE, response)

    assert outcome.kind is kind
    assert outcome.remote_ref == ""


def test_sale_in_another_currency_is_refused_before_it_is_sent():
    calls, outcome = told(replace(SALE, currency="USD"))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED
    assert outcome.detail == "The amount is in USD; the program's currency is EUR."


def test_sale_of_a_visitor_without_an_identifier_is_refused_before_it_is_sent():
    calls, outcome = told(SALE, visitor_id="")

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED


def test_lead_is_a_customer():
    calls, outcome = told(
        LEAD,
        said({"id": "cu_1"}, 201),
        configured=settings(send_leads=True),
    )

    assert lines(calls) == [("POST", "/customers/")]
    assert json.loads(calls[0].body) == {"customer_id": "client-7", "click_id": "tap-1"}
    assert outcome.kind is OutcomeKind.OK
    assert outcome.remote_ref == "cu_1"


def test_customer_that_is_there_is_a_repeat():
    calls, outcome = told(
        LEAD,
        said({}, 422),
        said([{"id": "cu_1", "customer_id": "client-7"}]),
        configured=settings(send_leads=True),
    )

    assert lines(calls)[1] == ("GET", "/customers/?customer_id=client-7")
    assert outcome.kind is OutcomeKind.DUPLICATE


def test_lead_is_not_told_unless_switched_on():
    assert ADAPTER.supports(Operation.LEAD, settings()) is False
    with pytest.raises(Unsupported):
        told(LEAD)


def test_whole_refund_deletes_the_conversion_that_is_known():
    calls, outcome = told(replace(REFUND, remote_ref="21"), answer(status=204))

    assert lines(calls) == [("DELETE", "/conversions/21/")]
    assert outcome.kind is OutcomeKind.OK


def test_whole_refund_looks_for_a_conversion_that_is_not_known():
    calls, outcome = told(REFUND, said(HELD), answer(status=204))

    assert lines(calls) == [
        ("GET", "/conversions/?external_id=INV-1"),
        ("DELETE", "/conversions/21/"),
    ]
    assert outcome.kind is OutcomeKind.OK
    assert outcome.remote_ref == "21"


def test_refund_of_an_order_that_is_not_there_deletes_nothing():
    calls, outcome = told(REFUND, said([{"id": 9, "external_id": "INV-10"}]))

    assert [call.method for call in calls] == ["GET"]
    assert outcome.kind is OutcomeKind.NOT_FOUND


@pytest.mark.parametrize(
    ("_case", "response", "kind"),
    [
        ("a repeat", said({"message": "Not found"}, 404), OutcomeKind.DUPLICATE),
        ("wrong address", answer("<html>", status=404), OutcomeKind.CONFIG),
        ("a page", answer("<html>"), OutcomeKind.CONFIG),
        ("broken", answer(status=502), OutcomeKind.RETRY),
    ],
)
def test_whole_refund_that_is_not_taken(_case, response, kind):
    facts = replace(REFUND, remote_ref="21")

    _, outcome = told(facts, response)

    assert outcome.kind is kind


def test_part_of_a_sale_lowers_what_is_left_of_it():
    calls, outcome = told(
        replace(PARTIAL, remote_ref="21"),
        said({**HELD[0], "amount": 1000}),
        said(HELD[0]),
    )

    assert lines(calls) == [
        ("GET", "/conversions/21/"),
        ("PATCH", "/conversions/21/?recalculate_commissions=true"),
    ]
    assert json.loads(calls[1].body) == {"amount": 980.1}
    assert outcome.kind is OutcomeKind.OK


def test_amount_is_never_lowered_below_nothing():
    calls, _ = told(
        replace(PARTIAL, amount=Decimal(5000)),
        said(HELD),
        said(HELD[0]),
    )

    assert json.loads(calls[1].body) == {"amount": 0.0}


@pytest.mark.parametrize("amount", [None, "x", "NaN", "1e999999", [1], {"a": 1}])
def test_unreadable_amount_is_left_to_a_person(amount):
    calls, outcome = told(PARTIAL, said([{**HELD[0], "amount": amount}]))

    assert [call.method for call in calls] == ["GET"]
    assert outcome.kind is OutcomeKind.REJECTED
    assert "lower the conversion of INV-1 by 19.90 EUR" in outcome.detail


def test_part_of_a_sale_is_not_lowered_twice_by_an_answer_that_tells_nothing():
    _, broken = told(PARTIAL, said(HELD), answer(status=500))
    _, page = told(PARTIAL, said(HELD), answer("<html>"))

    assert broken.kind is OutcomeKind.AMBIGUOUS
    assert page.kind is OutcomeKind.AMBIGUOUS


@pytest.mark.parametrize("remote_ref", ["", "21"])
def test_part_of_a_sale_that_could_not_be_read_is_lowered_later(remote_ref):
    calls, outcome = told(replace(PARTIAL, remote_ref=remote_ref), NO_ANSWER)

    assert [call.method for call in calls] == ["GET"]
    assert (outcome.kind, outcome.detail) == (OutcomeKind.RETRY, "late")


def test_look_up_tells_what_is_held():
    calls, outcome = told(LOOKUP, said(HELD))

    assert lines(calls) == [("GET", "/conversions/?external_id=INV-1")]
    assert outcome.kind is OutcomeKind.OK
    assert outcome.sales == (
        RemoteSale(
            remote_ref="21",
            amount=Decimal("1019.9"),
            currency="EUR",
            status="pending",
            affiliate="anna",
        ),
    )


@pytest.mark.parametrize(
    ("approved", "status"),
    [(True, "approved"), (False, "disapproved"), (None, "pending")],
)
def test_status_is_the_first_commissions(approved, status):
    held = [{**HELD[0], "commissions": [{"approved": approved}]}]

    _, outcome = told(LOOKUP, said(held))

    assert outcome.sales[0].status == status


@pytest.mark.parametrize(
    ("facts", "response"),
    [
        (LOOKUP, said([])),
        (LOOKUP, said([{"id": 1, "external_id": "INV-2"}])),
        (LookupFacts(order_ref="INV-1", remote_ref="21"), said({"message": "no"}, 404)),
    ],
)
def test_look_up_that_finds_nothing(facts, response):
    _, outcome = told(facts, response)

    assert outcome.kind is OutcomeKind.NOT_FOUND
    assert outcome.sales == ()


@pytest.mark.parametrize(
    ("response", "kind", "word"),
    [
        (said({"id": "my-program"}), OutcomeKind.OK, "Nothing was reported"),
        (said({"message": "x"}, 404), OutcomeKind.CONFIG, "no program with this id"),
        (
            answer("<html>", status=401),
            OutcomeKind.CONFIG,
            "does not accept the API key",
        ),
        (answer("<html>"), OutcomeKind.CONFIG, "check the tracking address"),
        (answer(status=503), OutcomeKind.RETRY, "503"),
    ],
)
def test_probe_reads_the_program(response, kind, word):
    calls, outcome = told(PROBE, response)

    assert lines(calls) == [("GET", "/programs/my-program/")]
    assert outcome.kind is kind
    assert word in outcome.detail


def test_conversion_that_vanishes_before_it_is_deleted_is_taken_back():
    _, outcome = told(REFUND, said(HELD), said({"message": "Not found"}, 404))

    assert outcome.kind is OutcomeKind.DUPLICATE


@pytest.mark.parametrize("remote_id", ["..", ".", "a/b", ""])
def test_id_that_is_no_part_of_a_path_is_never_called(remote_id):
    calls, outcome = told(REFUND, said([{**HELD[0], "id": remote_id}]))

    assert [call.method for call in calls] == ["GET"]
    assert outcome.kind is OutcomeKind.NOT_FOUND


@pytest.mark.parametrize("key", ["", "key\r\nHost: evil.example"])
def test_nothing_is_sent_without_a_usable_key(key):
    configured = replace(settings(), secrets={"api_key": key})

    calls, outcome = told(SALE, configured=configured)

    assert calls == []
    assert outcome.kind is OutcomeKind.CONFIG
    assert "evil" not in outcome.detail


def test_failed_call_is_left_to_whoever_made_it():
    with pytest.raises(CallFailed):
        told(SALE, NO_ANSWER)


@pytest.mark.parametrize(
    ("field", "value"),
    [("program_id", ""), ("currency", ""), ("currency", "EURO"), ("currency", "€€€")],
)
def test_wrong_setting_is_refused_by_its_name(field, value):
    with pytest.raises(ConfigError) as refusal:
        settings(**{field: value})

    assert list(refusal.value.faults) == [field]


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        (
            ("ref aid",),
            "Enter names of letters, digits and . _ - with commas between them.",
        ),
        ((), "Enter at least one parameter, such as a_aid."),
    ],
)
def test_affiliate_parameters_that_never_match_are_refused(parameters, fault):
    with pytest.raises(ConfigError) as refusal:
        stored(ADAPTER, parameters=parameters, program_id="p", currency="EUR")

    assert refusal.value.faults == {"parameters": fault}


def test_visitor_carries_our_reference_until_the_click_is_answered():
    url = parse_http_url("https://shop.example/?ref=anna")
    configured = settings()

    assert ADAPTER.match(url, configured) == Match(affiliate="anna")
    assert ADAPTER.identify(url, configured, current="", mint=lambda: "f" * 32) == (
        "f" * 32
    )
    assert ADAPTER.identify(url, configured, current="held", mint=str) == "held"


def test_app_registers_the_adapter_in_its_hooks():
    hooks = import_module(f"{AppConfig.create('tapfiliate').name}.affiliates_hooks")

    assert hooks.adapter.TapfiliateAdapter is TapfiliateAdapter
    assert isinstance(REGISTERED, TapfiliateAdapter)


def test_modules_import_the_standard_library_and_one_module_of_the_seam():
    modules = {
        module
        for path in PACKAGE.glob("*.py")
        if path.name != "apps.py"
        for module in re.findall(
            r"^from ([\w.]+) import", path.read_text("utf-8"), re.MULTILINE
        )
    }

    assert {
        module
        for module in modules
        if module.partition(".")[0] not in {"tapfiliate", *sys.stdlib_module_names}
    } == {"affiliates.extending.providers"}
    assert modules.isdisjoint({"datetime", "time"})


FACTS = [
    VISIT,
    SALE,
    LEAD,
    REFUND,
    PARTIAL,
    replace(PARTIAL, remote_ref="21"),
    LOOKUP,
    PROBE,
]
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["INV-1", "21", "client-7"]),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["id", "external_id", "amount", "message", "commissions"]),
            inner,
        )
    ),
    max_leaves=12,
)


def outcome_of(run, answers):
    """The outcome after as many of the answers as are asked for."""
    try:
        next(run)
        for one in answers:
            run.send(one)
    except StopIteration as end:
        return end.value
    raise AssertionError("more calls than answers")


@given(
    st.lists(
        st.tuples(
            st.sampled_from([200, 201, 204, 404, 422, 500]),
            st.binary() | _JSON.map(lambda value: json.dumps(value).encode()),
        ),
        min_size=2,
        max_size=2,
    )
)
def test_any_answer_has_an_outcome(answers):
    configured = settings(send_leads=True)
    responses = [Response(status=s, headers={}, body=b) for s, b in answers]
    for facts in FACTS:
        run = ADAPTER.run(facts, "tap-1", configured)
        assert outcome_of(run, responses).kind in OutcomeKind


@pytest.mark.parametrize("status", [200, 400, 401, 404, 422, 500])
def test_no_detail_quotes_an_answer(status):
    quoted = said({"message": "QUOTED", "id": "QUOTED !", "amount": "QUOTED"}, status)
    configured = settings(send_leads=True)

    details = [
        outcome_of(ADAPTER.run(facts, "tap-1", configured), [quoted] * 2)
        for facts in FACTS
    ]

    assert len(details) == 8
    assert [one for one in details if "QUOTED" in one.detail] == []
    assert [one for one in details if KEY in repr(one)] == []
