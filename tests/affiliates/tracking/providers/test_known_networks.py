"""The settings of each known network, as the form has them, make its requests."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.core.urls import parse_http_url
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.sending.provider import open_provider
from affiliates.outbox.types import Operation, OutcomeKind
from affiliates.tracking.networks import NETWORKS, YOURS
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.told import LEAD, PARTIAL, REFUND, SALE, VISIT
from tests.affiliates.tracking.test_admin import ADD, posted
from tests.database import nothing_written

pytestmark = pytest.mark.django_db

TUNE, EVERFLOW, DIRECT = "tune", "everflow", "everflow-direct"
EVERFLOW_OWN = {
    "YOUR_DOMAIN": "acme.com",
    "YOUR_NETWORK_ID": "77",
    "YOUR_LEAD_EVENT_ID": "3",
}
OWN = {
    TUNE: {"YOUR_NETWORK": "acme", "YOUR_OFFER_ID": "12", "YOUR_LEAD_GOAL_ID": "5"},
    EVERFLOW: EVERFLOW_OWN,
    DIRECT: {**EVERFLOW_OWN, "YOUR_OFFER_ID": "12"},
    "awin": {"YOUR_MERCHANT_ID": "1001"},
    "affise": {"YOUR_DOMAIN": "acme.com", "YOUR_LEAD_GOAL": "reg"},
    "scaleo": {"YOUR_WORKSPACE": "acme", "YOUR_LEAD_GOAL_ID": "4"},
    "impact": {
        "YOUR_ACCOUNT_SID": "IRsid",
        "YOUR_CAMPAIGN_ID": "1000",
        "YOUR_TRACKER_ID": "2000",
        "YOUR_LEAD_TRACKER_ID": "2001",
    },
}
EVERFLOW_SALE = (
    "https://www.acme.com/?nid=77&transaction_id=clk-1&amount=1019.90&order_id=INV-1"
    "&verification_token=tok"
)
EVERFLOW_LEAD = (
    "https://www.acme.com/?nid=77&transaction_id=clk-1&event_id=3&order_id=client-7"
    "&verification_token=tok"
)
IMPACT = "https://api.impact.com/Advertisers/IRsid"
IMPACT_HEADERS = (
    ("Accept", "application/json"),
    ("Authorization", "Basic SVJzaWQ6dG9r"),
)
IMPACT_FORM = (*IMPACT_HEADERS, ("Content-Type", "application/x-www-form-urlencoded"))


@pytest.fixture
def open_form(admin_client):
    """The page of a network's settings, and what its form is filled in with."""

    def ask(network: str) -> tuple[str, dict[str, str]]:
        page = f"{reverse(ADD)}?provider={NETWORKS[network].provider}&network={network}"
        form = admin_client.get(page).context["adminform"].form
        return page, {
            name: field.widget.format_value(form.get_initial_for_field(field, name))
            for name, field in form.fields.items()
            if name in NETWORKS[network].values
        }

    return ask


@pytest.fixture
def integrate(admin_client, brand, open_form):
    def enter(network: str, **changes: str):
        page, form = open_form(network)
        for name, value in form.items():
            form[name] = YOURS.sub(lambda word: OWN[network][word[0]], value)
        form = {"parameters": "", "secret": "tok", **form, **changes}
        saved = admin_client.post(page, posted(brand, **form))
        assert saved.status_code == 302, saved.context["adminform"].form.errors
        return open_provider(TrackingIntegration.objects.get())

    return enter


def told(provider, facts, *answers):
    return converse(provider.adapter.run(facts, "clk-1", provider.settings), *answers)


def test_every_network_is_offered_and_tried(admin_client):
    page = admin_client.get(reverse(ADD)).content.decode()

    assert list(NETWORKS) == list(OWN)
    for code, network in NETWORKS.items():
        offer = f"?provider={network.provider}&amp;network={code}"
        assert f'href="{offer}">{network.name}</a>' in page


def test_form_says_what_to_know_and_refuses_what_is_not_replaced(
    admin_client, brand, open_form
):
    page, form = open_form("scaleo")

    shown = admin_client.get(page).content.decode()
    with nothing_written():
        refused = admin_client.post(page, posted(brand, **form, secret="tok"))

    assert "<p>Replace each word that begins with YOUR_ by your own number" in shown
    assert "<p>The secret is the postback token of the workspace.</p>" in shown
    assert refused.context["adminform"].form.errors == {
        "address": ["Replace YOUR_WORKSPACE by your own number or name."],
        "lead_template": ["Replace YOUR_LEAD_GOAL_ID by your own number or name."],
    }


@pytest.mark.parametrize(
    ("network", "facts", "url"),
    [
        (
            TUNE,
            SALE,
            "https://acme.go2cloud.org/aff_lsr?offer_id=12&transaction_id=clk-1"
            "&amount=1019.90&adv_sub=INV-1&security_token=tok",
        ),
        (
            TUNE,
            LEAD,
            "https://acme.go2cloud.org/aff_lsr?offer_id=12&transaction_id=clk-1"
            "&adv_sub=client-7&goal_id=5&security_token=tok",
        ),
        (EVERFLOW, SALE, EVERFLOW_SALE),
        (EVERFLOW, LEAD, EVERFLOW_LEAD),
        (DIRECT, VISIT, "https://www.acme.com/clk?oid=12&affid=anna"),
        (DIRECT, SALE, EVERFLOW_SALE),
        (DIRECT, LEAD, EVERFLOW_LEAD),
        (
            "awin",
            SALE,
            "https://www.awin1.com/sread.php?tt=ss&tv=2&merchant=1001&amount=1019.90"
            "&ch=aw&parts=DEFAULT:1019.90&cr=EUR&ref=INV-1&testmode=0&cks=clk-1",
        ),
        (
            "affise",
            SALE,
            "https://acme.com/postback?clickid=clk-1&action_id=INV-1&sum=1019.90"
            "&currency=EUR&status=1&secure=tok&ip=203.0.113.7",
        ),
        (
            "affise",
            LEAD,
            "https://acme.com/postback?clickid=clk-1&action_id=client-7&goal=reg"
            "&status=1&secure=tok&ip=203.0.113.7",
        ),
        (
            "affise",
            REFUND,
            "https://acme.com/postback?clickid=clk-1&action_id=INV-1&status=3"
            "&secure=tok",
        ),
        (
            "scaleo",
            SALE,
            "https://acme.scaletrk.com/track/conv?click_id=clk-1&token=tok"
            "&amount=1019.90&conv_status=pending",
        ),
        (
            "scaleo",
            LEAD,
            "https://acme.scaletrk.com/track/conv?click_id=clk-1&token=tok&goal_id=4"
            "&conv_status=pending",
        ),
        (
            "scaleo",
            REFUND,
            "https://acme.scaletrk.com/track/conv-change?click_id=clk-1&token=tok"
            "&conv_status=rejected",
        ),
    ],
)
def test_fact_is_one_get(integrate, network, facts, url):
    provider = integrate(network)

    calls, _ = told(provider, facts, answer())

    assert [(one.method, one.url, one.headers, one.body) for one in calls] == [
        ("GET", url, (), b"")
    ]


@pytest.mark.parametrize(
    ("facts", "method", "url", "headers", "body"),
    [
        (
            SALE,
            "POST",
            f"{IMPACT}/Conversions",
            IMPACT_FORM,
            b"CampaignId=1000&EventDate=2026-05-04T12%3A30%3A00Z&OrderId=INV-1"
            b"&ClickId=clk-1&ActionTrackerId=2000&CustomerId=client-7&CurrencyCode=EUR"
            b"&ItemSubTotal1=1019.90&ItemSku1=plan%20a%26b&ItemQuantity1=1",
        ),
        (
            LEAD,
            "POST",
            f"{IMPACT}/Conversions",
            IMPACT_FORM,
            b"CampaignId=1000&EventDate=2026-05-04T12%3A30%3A00Z&OrderId=client-7"
            b"&ClickId=clk-1&ActionTrackerId=2001&CustomerId=client-7",
        ),
        (
            REFUND,
            "DELETE",
            f"{IMPACT}/Actions?ActionTrackerId=2000&OrderId=INV-1"
            "&DispositionCode=ITEM_RETURNED",
            IMPACT_HEADERS,
            b"",
        ),
    ],
)
def test_impact_is_called_with_basic_authentication(
    integrate, facts, method, url, headers, body
):
    provider = integrate("impact")

    [call], outcome = told(provider, facts, answer('{"Status":"QUEUED"}'))

    assert (call.method, call.url, call.headers, call.body) == (
        method,
        url,
        headers,
        body,
    )
    assert call.secrets == ("tok", "SVJzaWQ6dG9r")
    assert outcome.kind is OutcomeKind.OK


@pytest.mark.parametrize(
    ("network", "operations"),
    [
        (TUNE, {Operation.SALE, Operation.LEAD}),
        (EVERFLOW, {Operation.SALE, Operation.LEAD}),
        (DIRECT, {Operation.CLICK, Operation.SALE, Operation.LEAD}),
        ("awin", {Operation.SALE}),
        ("affise", {Operation.SALE, Operation.LEAD, Operation.REVERSAL}),
        ("scaleo", {Operation.SALE, Operation.LEAD, Operation.REVERSAL}),
        ("impact", {Operation.SALE, Operation.LEAD, Operation.REVERSAL}),
    ],
)
def test_operations_of_the_network(integrate, network, operations):
    provider = integrate(network)

    supported = {
        one for one in Operation if provider.adapter.supports(one, provider.settings)
    }

    assert supported == {*operations, Operation.PROBE}


@pytest.mark.parametrize("network", ["affise", "scaleo", "impact"])
def test_part_of_a_sale_is_left_to_a_person(integrate, network):
    provider = integrate(network)

    calls, outcome = told(provider, PARTIAL)

    assert calls == []
    assert outcome.kind is OutcomeKind.REJECTED


@pytest.mark.parametrize(
    ("network", "parameter"),
    [
        (TUNE, "transaction_id"),
        (EVERFLOW, "_ef_transaction_id"),
        ("awin", "awc"),
        ("affise", "clickid"),
        ("scaleo", "click_id"),
        ("impact", "irclickid"),
    ],
)
def test_identifier_is_captured_from_the_networks_parameter(
    integrate, network, parameter
):
    provider = integrate(network)
    adapter, settings = provider.adapter, provider.settings
    url = parse_http_url(f"https://shop.example/?{parameter}=1001_17_ab-c")

    identifier = adapter.identify(url, settings, current="old", mint=str)

    assert identifier == "1001_17_ab-c"
    assert adapter.match(url, settings).affiliate == "1001_17_ab-c"
    assert adapter.parameters_of(settings) == (parameter,)


def test_direct_link_of_everflow_gets_its_identifier_from_the_answer(integrate):
    provider = integrate(DIRECT)
    url = parse_http_url("https://shop.example/?affid=anna")

    _, outcome = told(provider, VISIT, answer('{"transaction_id": "6c1f0ab8e5"}'))

    assert outcome.kind is OutcomeKind.OK
    assert outcome.visitor_id == "6c1f0ab8e5"
    assert provider.adapter.match(url, provider.settings).affiliate == "anna"


@pytest.mark.parametrize(
    ("network", "body", "kind"),
    [
        (TUNE, "success=true;", OutcomeKind.OK),
        (
            TUNE,
            "success=false; err_msg=Duplicate conversion for this transaction;",
            OutcomeKind.DUPLICATE,
        ),
        (TUNE, "success=false; err_msg=Invalid offer;", OutcomeKind.REJECTED),
        (TUNE, "", OutcomeKind.AMBIGUOUS),
        (EVERFLOW, "", OutcomeKind.OK),
        (DIRECT, "", OutcomeKind.OK),
        ("awin", "", OutcomeKind.OK),
        ("affise", '{"status":1}', OutcomeKind.OK),
        ("affise", '{"status":2,"message":"no such click"}', OutcomeKind.REJECTED),
        ("affise", "OK", OutcomeKind.AMBIGUOUS),
        ("scaleo", "{}", OutcomeKind.OK),
        ("impact", '{"Status":"ERROR"}', OutcomeKind.AMBIGUOUS),
    ],
)
def test_answer_to_a_sale(integrate, network, body, kind):
    provider = integrate(network)

    _, outcome = told(provider, SALE, answer(body))

    assert outcome.kind is kind
    assert "err_msg" not in outcome.detail
    assert "no such click" not in outcome.detail


@pytest.mark.parametrize("network", OWN)
def test_network_without_a_currency_takes_one_only(integrate, network):
    settings = integrate(network).settings
    has_currency = "{currency}" in settings.text("sale_template")

    assert settings.text("only_currency") == ("" if has_currency else "EUR")


def test_sale_waits_for_a_secret_that_its_template_has(integrate):
    provider = integrate("scaleo", secret="")

    calls, outcome = told(provider, SALE)

    assert calls == []
    assert outcome.kind is OutcomeKind.CONFIG
    assert outcome.detail == (
        "Enter the integration's secret: the template has {secret}."
    )
