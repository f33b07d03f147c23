from __future__ import annotations

import pytest

from portal.orders.models import PaymentDetails

PATH = "/api/payment_details"


@pytest.mark.parametrize(
    ("_case", "body", "gateway", "label"),
    [
        ("nothing said", {}, "manual", ""),
        ("by hand", {"gateway": "manual"}, "manual", ""),
        ("labelled", {"label": "My card"}, "manual", "My card"),
        ("no gateway named", {"gateway": None, "label": ""}, "manual", ""),
        ("a card number is not taken", {"card": "4111111111111111"}, "manual", ""),
    ],
)
def test_payment_details_are_kept(
    _case, body, gateway, label, client, speak_as, settings
):
    settings.PAYMENT_WEBHOOK_SECRETS = {}

    response = speak_as(client).post(PATH, body, format="json")

    details = PaymentDetails.objects.get()
    assert response.status_code == 201
    assert response.json() == {
        "data": {"id": details.pk, "gateway": gateway, "label": label}
    }
    assert isinstance(response.json()["data"]["id"], int)
    assert (details.client, details.gateway, details.label) == (client, gateway, label)


@pytest.mark.usefixtures("webhook_secrets")
@pytest.mark.parametrize(
    ("body", "gateway"), [({}, "demo"), ({"gateway": "acme"}, "acme")]
)
def test_a_known_gateway_may_be_named(body, gateway, guest, speak_as):
    response = speak_as(guest).post(PATH, body, format="json")

    assert response.json()["data"]["gateway"] == gateway


@pytest.mark.usefixtures("webhook_secrets")
def test_the_demo_gateway_can_be_off(client, speak_as, settings):
    settings.DEMO_GATEWAY = False
    api = speak_as(client)

    assert api.post(PATH, {}, format="json").json()["data"]["gateway"] == "manual"
    assert api.post(PATH, {"gateway": "demo"}, format="json").status_code == 400


@pytest.mark.parametrize(
    ("_case", "body", "attr", "code"),
    [
        ("unknown gateway", {"gateway": "nowhere"}, "gateway", "does_not_exist"),
        ("blank gateway", {"gateway": ""}, "gateway", "blank"),
        ("long gateway", {"gateway": "x" * 33}, "gateway", "max_length"),
        ("list", {"gateway": []}, "gateway", "invalid"),
        ("long label", {"label": "x" * 101}, "label", "max_length"),
        ("object", {"label": {}}, "label", "invalid"),
        ("null label", {"label": None}, "label", "null"),
    ],
)
def test_impossible_payment_details_are_refused(
    _case, body, attr, code, client, speak_as
):
    response = speak_as(client).post(PATH, body, format="json")

    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["attr"], error["code"]) == (attr, code)
    assert not PaymentDetails.objects.exists()
