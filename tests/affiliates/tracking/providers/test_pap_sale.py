"""Post Affiliate Pro by sale.php alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affiliates.core.urls import parse_http_url
from affiliates.outbox.http.types import Response
from affiliates.outbox.protocol import ConfigError, Identifier
from affiliates.outbox.types import Operation, OutcomeKind
from affiliates.tracking.providers.pap.sale import PapSale
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.told import ADDRESS, LEAD, SALE, stored

PAP_SALE = PapSale()


def settings(**changes):
    values = {"account": "default1", "lead_action": "reg", "status": "P"}
    return stored(PAP_SALE, **{**values, **changes})


def told(facts, response):
    return converse(PAP_SALE.run(facts, "clk-1", settings()), response)


@pytest.mark.parametrize(
    ("facts", "query"),
    [
        (
            SALE,
            "visitorId=clk-1&AccountId=default1&TotalCost=1019.90&Currency=EUR"
            "&OrderID=INV-1&ProductID=plan%20a%26b&PStatus=P",
        ),
        (LEAD, "visitorId=clk-1&AccountId=default1&ActionCode=reg&OrderID=client-7"),
    ],
)
def test_fact_is_one_get(facts, query):
    calls, _ = told(facts, answer())

    assert [(call.method, call.url, call.body) for call in calls] == [
        ("GET", f"{ADDRESS}/scripts/sale.php?{query}", b"")
    ]


def test_sales_and_leads_alone_are_told():
    supported = {one for one in Operation if PAP_SALE.supports(one, settings())}

    assert PAP_SALE.identifier is Identifier.CAPTURED
    assert supported == {Operation.SALE, Operation.LEAD, Operation.PROBE}


def test_lead_is_not_told_without_its_action_code():
    assert PAP_SALE.supports(Operation.LEAD, settings(lead_action="")) is False


def test_identifier_is_captured_from_its_parameter():
    url = parse_http_url("https://shop.example/?visitorId=1001_17_ab-c")

    identifier = PAP_SALE.identify(url, settings(), current="old", mint=str)

    assert identifier == "1001_17_ab-c"
    assert PAP_SALE.match(url, settings()).affiliate == "1001_17_ab-c"
    assert PAP_SALE.parameters_of(settings()) == ("visitorId",)


@pytest.mark.parametrize(
    ("body", "kind"),
    [("", OutcomeKind.OK), ("<html>Not found", OutcomeKind.AMBIGUOUS)],
)
def test_answer_to_a_sale(body, kind):
    _, outcome = told(SALE, answer(body))

    assert outcome.kind is kind


def test_affiliate_parameters_without_a_comma_are_refused():
    with pytest.raises(ConfigError) as refusal:
        settings(parameters=("a_aid aid",))

    assert refusal.value.faults == {
        "parameters": "Enter names of letters, digits and . _ - with commas between "
        "them."
    }


@given(st.sampled_from([200, 204, 302, 404, 422, 500]), st.binary())
def test_any_answer_has_an_outcome(status, body):
    _, outcome = told(SALE, Response(status=status, headers={}, body=body))

    assert outcome.kind in OutcomeKind
