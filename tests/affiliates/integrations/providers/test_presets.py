"""The networks' requests as their own documentation writes them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affiliates.core.urls import parse_http_url
from affiliates.integrations.providers.postback import (
    PostbackAdapter,
    RemotePostback,
)
from affiliates.integrations.providers.presets.affise import Affise
from affiliates.integrations.providers.presets.awin import Awin
from affiliates.integrations.providers.presets.everflow import Everflow, EverflowDirect
from affiliates.integrations.providers.presets.impact import Impact
from affiliates.integrations.providers.presets.pap_sale import PapSale
from affiliates.integrations.providers.presets.scaleo import Scaleo
from affiliates.integrations.providers.presets.tune import Tune
from affiliates.integrations.providers.protocol import (
    ConfigError,
    Identifier,
    Unsupported,
)
from affiliates.integrations.providers.registry import ADAPTERS
from affiliates.integrations.providers.templates import parse_template
from affiliates.integrations.types import Operation, OutcomeKind, Response
from tests.affiliates.integrations.providers.conversation import answer, converse
from tests.affiliates.integrations.providers.told import (
    ADDRESS,
    LEAD,
    PARTIAL,
    REFUND,
    SALE,
    VISIT,
    stored,
)
from tests.cases import each

SETTINGS = {
    Tune: {"offer_id": "12", "lead_goal_id": "5", "only_currency": "EUR"},
    Everflow: {"network_id": "77", "lead_event_id": "3", "only_currency": "EUR"},
    EverflowDirect: {
        "parameters": ("affid",),
        "network_id": "77",
        "offer_id": "12",
        "lead_event_id": "3",
        "only_currency": "EUR",
    },
    Awin: {"merchant_id": "1001"},
    Affise: {"lead_goal": "reg", "send_reversals": True},
    Scaleo: {"lead_goal_id": "4", "only_currency": "EUR", "send_reversals": True},
    Impact: {
        "account_sid": "IRsid",
        "campaign_id": "1000",
        "tracker_id": "2000",
        "lead_tracker_id": "2001",
        "send_reversals": True,
    },
    PapSale: {"account": "default1", "lead_action": "reg", "status": "P"},
}
PRESETS = list(SETTINGS)


def configured(preset, **changes):
    return stored(
        preset(), secrets={"secret": "tok"}, **{**SETTINGS[preset], **changes}
    )


def told(preset, facts, response=None, **changes):
    run = preset().run(facts, "clk-1", configured(preset, **changes))
    return converse(run, response or answer())


@pytest.mark.parametrize(
    ("preset", "target"),
    [
        (
            Tune,
            "/aff_lsr?offer_id=12&transaction_id=clk-1&amount=1019.90&adv_sub=INV-1"
            "&security_token=tok",
        ),
        (
            Everflow,
            "/?nid=77&transaction_id=clk-1&amount=1019.90&order_id=INV-1"
            "&verification_token=tok",
        ),
        (
            EverflowDirect,
            "/?nid=77&transaction_id=clk-1&amount=1019.90&order_id=INV-1"
            "&verification_token=tok",
        ),
        (
            Awin,
            "/sread.php?tt=ss&tv=2&merchant=1001&amount=1019.90&ch=aw"
            "&parts=DEFAULT:1019.90&cr=EUR&ref=INV-1&testmode=0&cks=clk-1",
        ),
        (
            Affise,
            "/postback?clickid=clk-1&action_id=INV-1&sum=1019.90&currency=EUR&status=1"
            "&secure=tok&ip=203.0.113.7",
        ),
        (
            Scaleo,
            "/track/conv?click_id=clk-1&token=tok&amount=1019.90&conv_status=pending",
        ),
        (
            PapSale,
            "/scripts/sale.php?visitorId=clk-1&AccountId=default1&TotalCost=1019.90"
            "&Currency=EUR&OrderID=INV-1&ProductID=plan%20a%26b&PStatus=P",
        ),
    ],
)
def test_sale_is_one_get(preset, target):
    calls, _ = told(preset, SALE)

    assert [(call.method, call.url, call.body) for call in calls] == [
        ("GET", f"{ADDRESS}{target}", b"")
    ]


@pytest.mark.parametrize(
    ("preset", "target"),
    [
        (
            Tune,
            "/aff_lsr?offer_id=12&transaction_id=clk-1&adv_sub=client-7&goal_id=5"
            "&security_token=tok",
        ),
        (
            Everflow,
            "/?nid=77&transaction_id=clk-1&event_id=3&order_id=client-7"
            "&verification_token=tok",
        ),
        (
            Affise,
            "/postback?clickid=clk-1&action_id=client-7&goal=reg&status=1&secure=tok"
            "&ip=203.0.113.7",
        ),
        (
            Scaleo,
            "/track/conv?click_id=clk-1&token=tok&goal_id=4&conv_status=pending",
        ),
        (
            PapSale,
            "/scripts/sale.php?visitorId=clk-1&AccountId=default1&ActionCode=reg"
            "&OrderID=client-7",
        ),
    ],
)
def test_lead_is_one_get(preset, target):
    calls, _ = told(preset, LEAD)

    assert [call.url for call in calls] == [f"{ADDRESS}{target}"]


def test_impact_takes_a_form_with_basic_authentication():
    calls, outcome = told(
        Impact,
        SALE,
        answer(
            '{"Status":"QUEUED","QueuedUri":"/Advertisers/IRsid/APISubmissions/A-1"}'
        ),
    )

    assert [(call.method, call.url) for call in calls] == [
        ("POST", f"{ADDRESS}/Advertisers/IRsid/Conversions")
    ]
    assert calls[0].headers == (
        ("Accept", "application/json"),
        ("Authorization", "Basic SVJzaWQ6dG9r"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    )
    assert calls[0].body == (
        b"CampaignId=1000&EventDate=2026-05-04T12%3A30%3A00Z&OrderId=INV-1&ClickId=clk-1"
        b"&ActionTrackerId=2000&CustomerId=client-7&CurrencyCode=EUR"
        b"&ItemSubTotal1=1019.90&ItemSku1=plan%20a%26b&ItemQuantity1=1"
    )
    assert calls[0].secrets == ("tok", "SVJzaWQ6dG9r")
    assert outcome.kind is OutcomeKind.OK


def test_impact_lead_has_its_own_tracker_and_no_amount():
    calls, _ = told(Impact, LEAD)

    assert calls[0].body == (
        b"CampaignId=1000&EventDate=2026-05-04T12%3A30%3A00Z&OrderId=client-7"
        b"&ClickId=clk-1&ActionTrackerId=2001&CustomerId=client-7"
    )


@pytest.mark.parametrize(
    ("preset", "method", "target"),
    [
        (
            Affise,
            "GET",
            "/postback?clickid=clk-1&action_id=INV-1&status=3&secure=tok",
        ),
        (
            Scaleo,
            "GET",
            "/track/conv-change?click_id=clk-1&token=tok&conv_status=rejected",
        ),
        (
            Impact,
            "DELETE",
            "/Advertisers/IRsid/Actions?ActionTrackerId=2000&OrderId=INV-1"
            "&DispositionCode=ITEM_RETURNED",
        ),
    ],
)
def test_whole_sale_is_taken_back_where_switched_on(preset, method, target):
    calls, _ = told(preset, REFUND)

    assert [(call.method, call.url) for call in calls] == [
        (method, f"{ADDRESS}{target}")
    ]
    assert preset.takes_back_parts is False


@pytest.mark.parametrize("preset", [Affise, Scaleo, Impact])
def test_part_of_a_sale_is_left_to_a_person(preset):
    adapter = preset()

    calls, outcome = converse(adapter.run(PARTIAL, "clk-1", configured(preset)))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED


@pytest.mark.parametrize("preset", [Affise, Scaleo, Impact])
def test_reversal_is_not_told_where_switched_off(preset):
    settings = configured(preset, send_reversals=False)

    assert preset().supports(Operation.REVERSAL, settings) is False
    with pytest.raises(Unsupported):
        preset().run(REFUND, "clk-1", settings)


@pytest.mark.parametrize(
    ("preset", "default"), [(Affise, False), (Scaleo, False), (Impact, True)]
)
def test_unverified_reversals_wait_for_somebody_to_switch_them_on(preset, default):
    values = {k: v for k, v in SETTINGS[preset].items() if k != "send_reversals"}

    settings = stored(preset(), secrets={"secret": "tok"}, **values)

    assert settings.is_on("send_reversals") is default


@pytest.mark.parametrize("preset", [Tune, Everflow, EverflowDirect, Awin, PapSale])
def test_network_without_reversals_has_none(preset):
    assert preset().supports(Operation.REVERSAL, configured(preset)) is False


@pytest.mark.parametrize(
    "preset", [one for one in PRESETS if one is not EverflowDirect]
)
def test_captured_network_is_told_of_no_click(preset):
    assert preset.identifier is Identifier.CAPTURED
    assert preset().supports(Operation.CLICK, configured(preset)) is False


@pytest.mark.parametrize(
    ("preset", "parameter"),
    [
        (Tune, "transaction_id"),
        (Everflow, "_ef_transaction_id"),
        (Awin, "awc"),
        (Affise, "clickid"),
        (Scaleo, "click_id"),
        (Impact, "irclickid"),
        (PapSale, "visitorId"),
    ],
)
def test_identifier_is_captured_from_the_networks_parameter(preset, parameter):
    adapter, settings = preset(), configured(preset)
    url = parse_http_url(f"https://shop.example/?{parameter}=1001_17_ab-c")

    identifier = adapter.identify(url, settings, current="old", mint=str)

    assert identifier == "1001_17_ab-c"
    assert adapter.match(url, settings).affiliate == "1001_17_ab-c"
    assert adapter.parameters_of(settings) == (parameter,)


def test_everflow_is_told_of_a_direct_click_and_answers_with_the_identifier():
    calls, outcome = told(
        EverflowDirect,
        VISIT,
        answer('{"transaction_id": "6c1f0ab8e5"}'),
    )

    assert [call.url for call in calls] == [f"{ADDRESS}/clk?oid=12&affid=anna"]
    assert outcome.kind is OutcomeKind.OK
    assert outcome.visitor_id == "6c1f0ab8e5"
    assert EverflowDirect.identifier is Identifier.REMOTE


@each(
    ("preset", "body", "kind"),
    [
        (Tune, "success=true;", OutcomeKind.OK),
        (
            Tune,
            "success=false; err_msg=Duplicate conversion for this transaction;",
            OutcomeKind.DUPLICATE,
        ),
        (Tune, "success=false; err_msg=Invalid offer;", OutcomeKind.REJECTED),
        (Tune, "", OutcomeKind.AMBIGUOUS),
        (Affise, '{"status":1}', OutcomeKind.OK),
        (Affise, '{"status":2,"message":"no such click"}', OutcomeKind.REJECTED),
        (Affise, "OK", OutcomeKind.AMBIGUOUS),
        (Impact, '{"Status":"ERROR"}', OutcomeKind.AMBIGUOUS),
        (Awin, "", OutcomeKind.OK),
        (Everflow, "", OutcomeKind.OK),
        (Scaleo, "{}", OutcomeKind.OK),
        (PapSale, "", OutcomeKind.OK),
        (PapSale, "<html>Not found", OutcomeKind.AMBIGUOUS),
    ],
)
def test_answer_to_a_sale(preset, body, kind):
    _, outcome = told(preset, SALE, answer(body))

    assert outcome.kind is kind
    assert "err_msg" not in outcome.detail
    assert "no such click" not in outcome.detail


@pytest.mark.parametrize("preset", [Tune, Everflow, EverflowDirect, Scaleo])
def test_network_that_is_told_no_currency_takes_one_only(preset):
    adapter = preset()
    settings = configured(preset, only_currency="USD")

    calls, outcome = converse(adapter.run(SALE, "clk-1", settings))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED
    with pytest.raises(ConfigError) as refusal:
        configured(preset, only_currency="")
    assert list(refusal.value.faults) == ["only_currency"]


def test_awin_is_not_told_of_a_sale_whose_reference_it_cannot_keep():
    order_ref = "i" * 51
    facts = replace(SALE, order_ref=order_ref)

    calls, outcome = converse(Awin().run(facts, "clk-1", configured(Awin)))

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED
    assert outcome.detail == (
        "Awin takes order references of at most 50 characters and "
        f"{order_ref} has 51: enter the sale there by hand."
    )


@pytest.mark.parametrize(("preset", "length"), [(Awin, 50), (Affise, 64)])
def test_reference_within_the_networks_limit_is_told_whole(preset, length):
    order_ref = "i" * length

    calls, _ = told(preset, replace(SALE, order_ref=order_ref))

    assert f"={order_ref}&" in calls[0].url


@pytest.mark.parametrize("preset", [Scaleo, Impact])
def test_sale_waits_for_a_secret_that_is_needed(preset):
    adapter = preset()
    settings = stored(adapter, **SETTINGS[preset])

    calls, outcome = converse(adapter.run(SALE, "clk-1", settings))

    assert calls == []
    assert outcome.kind is OutcomeKind.CONFIG


@pytest.mark.parametrize("preset", [Tune, Everflow, Affise])
def test_secret_that_is_not_needed_may_be_missing(preset):
    adapter = preset()
    settings = stored(adapter, **SETTINGS[preset])

    calls, _ = converse(adapter.run(SALE, "clk-1", settings), answer())

    assert "tok" not in calls[0].url
    assert calls[0].secrets == ()


@pytest.mark.parametrize("preset", PRESETS)
def test_affiliate_parameters_without_a_comma_are_refused(preset):
    with pytest.raises(ConfigError) as refusal:
        configured(preset, parameters=("a_aid aid",))

    assert refusal.value.faults == {
        "parameters": "Enter names of letters, digits and . _ - with commas between "
        "them."
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_is_whole(preset):
    adapter = preset()
    names = {field.name for field in adapter.fields}

    for operation, text in adapter.texts.items():
        parse_template(text, adapter.macros(operation))
    assert set(adapter.needs.values()) <= names
    assert ADAPTERS[adapter.code].__class__ is preset
    assert adapter.about
    assert adapter.address_help
    assert all(field.help and field.label for field in adapter.fields)


def test_registry_knows_every_template_provider_by_a_code_of_its_own():
    postbacks = {
        code: adapter
        for code, adapter in ADAPTERS.items()
        if isinstance(adapter, PostbackAdapter)
    }

    assert sorted(postbacks) == [
        "affise",
        "awin",
        "everflow",
        "everflow_direct",
        "impact",
        "pap_sale",
        "postback",
        "postback_remote",
        "scaleo",
        "tune",
    ]
    assert all(code == adapter.code for code, adapter in ADAPTERS.items())
    assert sorted(
        code for code, one in postbacks.items() if isinstance(one, RemotePostback)
    ) == ["everflow_direct", "postback_remote"]


@given(
    st.sampled_from(PRESETS),
    st.sampled_from([200, 204, 302, 404, 422, 500]),
    st.binary(),
)
def test_any_answer_has_an_outcome(preset, status, body):
    response = Response(status=status, headers={}, body=body)

    _, outcome = told(preset, SALE, response)

    assert outcome.kind in OutcomeKind
