from __future__ import annotations

import hmac
import json
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from moneyed import Money
from rest_framework.test import APIClient

from affiliates.errors import InvalidInput
from portal.billing import services, webhooks
from portal.billing.models import Invoice, Payment, Refund
from portal.billing.payment_events import PaymentEvent
from tests.database import nothing_written
from tests.portal.conftest import NOT_FOUND, RACERS, WEBHOOK_SECRET
from tests.races import at_once, needs_postgresql

PATH = "/api/payments/webhook/acme"

pytestmark = pytest.mark.usefixtures("webhook_secrets")


@pytest.fixture
def invoice(client, invoice_of) -> Invoice:
    return invoice_of(client, gateway="acme")


def event(to: object, kind: str = "payment.succeeded", **change: object) -> bytes:
    data = {
        "invoice_id": str(to),
        "reference": "pay_1",
        "amount": "10.71",
        "currency": "EUR",
        **change,
    }
    return json.dumps({"type": kind, "data": data}).encode()


def signed(
    body: bytes, event_id: str = "evt_1", age: timedelta = timedelta()
) -> dict[str, str]:
    return webhooks.sign(
        secret=WEBHOOK_SECRET,
        event_id=event_id,
        body=body,
        now=datetime.now(tz=UTC) - age,
    )


def send(body: bytes, headers: dict[str, str] | None = None, path: str = PATH):
    return APIClient(raise_request_exception=False).post(
        path,
        body,
        content_type="application/json",
        headers=signed(body) if headers is None else headers,
    )


def outcome(response) -> tuple[int, str, str]:
    data = response.json()["data"]
    return response.status_code, data["outcome"], data["failure"]


def test_a_signed_payment_is_recorded(invoice, told):
    response = send(event(invoice.pk))

    assert response.status_code == 200
    assert response.json() == {
        "data": {"event_id": "evt_1", "outcome": "processed", "failure": ""}
    }
    invoice.refresh_from_db()
    assert invoice.status == "paid"
    assert Payment.objects.get().reference == "pay_1"
    stored = PaymentEvent.objects.get()
    assert (stored.gateway, stored.event_id, stored.outcome) == (
        "acme",
        "evt_1",
        "processed",
    )
    assert stored.body.encode() == event(invoice.pk)
    assert stored.processed_at is not None
    assert len(told) == 1


def test_a_repeated_event_answers_the_same_and_does_nothing(invoice, told):
    first = send(event(invoice.pk))
    again = send(event(invoice.pk))

    assert again.json() == first.json()
    assert Payment.objects.count() == 1
    assert PaymentEvent.objects.count() == 1
    assert len(told) == 1


def test_of_two_bodies_under_one_event_id_the_first_stands(invoice, told):
    send(event(uuid4()))

    response = send(event(invoice.pk))

    assert outcome(response) == (200, "rejected", "not_found")
    assert not Payment.objects.exists()


def test_another_event_of_the_same_payment_is_harmless(invoice, told):
    body = event(invoice.pk)
    send(body)

    response = send(body, signed(body, event_id="evt_2"))

    assert outcome(response) == (200, "processed", "")
    assert Payment.objects.count() == 1
    assert len(told) == 1


@pytest.mark.parametrize(
    ("kind", "refund_kind"),
    [("payment.refunded", "refund"), ("payment.charged_back", "chargeback")],
)
def test_a_refund_is_recorded(kind, refund_kind, invoice, told):
    send(event(invoice.pk))
    body = event(invoice.pk, kind, reference="re_1", amount="1.00")

    response = send(body, signed(body, event_id="evt_2"))

    assert outcome(response) == (200, "processed", "")
    refund = Refund.objects.get()
    assert (refund.kind, refund.reference) == (refund_kind, "re_1")
    assert refund.amount == Money("1.00", "EUR")
    assert len(told) == 2


def test_a_refund_that_overtakes_its_payment_is_asked_for_again(invoice, told):
    refund = event(invoice.pk, "payment.refunded", reference="re_1")

    early = send(refund)
    payment = event(invoice.pk)
    send(payment, signed(payment, event_id="evt_2"))
    late = send(refund)

    assert early.status_code == 409
    assert early.json()["errors"][0]["code"] == "not_paid"
    assert outcome(late) == (200, "processed", "")
    invoice.refresh_from_db()
    assert invoice.status == "refunded"
    assert len(told) == 2


@pytest.mark.parametrize(
    ("_case", "change", "failure"),
    [
        ("less", {"amount": "10.70"}, "amount_mismatch"),
        ("another currency", {"currency": "USD"}, "currency_mismatch"),
        ("unknown invoice", {"invoice_id": str(uuid4())}, "not_found"),
        ("malformed", {"amount": "ten"}, "malformed_event"),
        ("enormous", {"amount": "9" * 12}, "amount_mismatch"),
    ],
)
def test_a_wrong_event_is_kept_with_its_failure(_case, change, failure, invoice, told):
    response = send(event(invoice.pk, **change))

    assert outcome(response) == (200, "rejected", failure)
    stored = PaymentEvent.objects.get()
    assert (stored.outcome, stored.failure) == ("rejected", failure)
    assert stored.failure_detail != ""
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"
    assert not Payment.objects.exists()
    assert told == []


def test_money_that_comes_twice_is_kept_for_the_operator(invoice, told):
    send(event(invoice.pk))
    body = event(invoice.pk, reference="pay_2")

    response = send(body, signed(body, event_id="evt_2"))

    assert outcome(response) == (200, "rejected", "already_paid")
    assert Payment.objects.count() == 1


def test_nothing_of_the_payer_is_stored(invoice, told):
    """Other fields stay with the gateway: a person who is erased here is not in them."""
    payer = {"payer": {"email": "payer@example.com", "name": "Ada Lovelace"}}
    events = (
        event(invoice.pk, **payer),
        event(invoice.pk, **payer, reference="pay_2", amount=5),
        event(invoice.pk, "customer.created", **payer),
        b'{"type": "payment.succeeded", "data": {}, "payer": "Ada Lovelace"}',
        b"Ada Lovelace",
        event(invoice.pk, reference="Ada Lovelace" * 100),
    )

    for number, body in enumerate(events):
        send(body, signed(body, event_id=f"evt_{number}"))

    stored = {row.event_id: row for row in PaymentEvent.objects.all()}
    assert json.loads(stored["evt_0"].body) == json.loads(event(invoice.pk))
    assert [stored[f"evt_{number}"].outcome for number in range(len(events))] == [
        "processed",
        "rejected",
        "ignored",
        "rejected",
        "rejected",
        "rejected",
    ]
    for row in stored.values():
        assert "Ada" not in row.body
        assert "payer" not in row.body


def test_other_types_are_ignored(invoice, told):
    response = send(b'{"type": "customer.created", "data": {}}')

    assert outcome(response) == (200, "ignored", "")


def test_an_event_survives_a_fault_and_is_processed_when_sent_again(
    invoice, told, monkeypatch
):
    def fail(event, *, now):
        raise RuntimeError("a fault")

    with monkeypatch.context() as broken:
        broken.setattr(services, "invoice_paid", fail)
        failed = send(event(invoice.pk))
    stored = PaymentEvent.objects.get()

    assert failed.status_code == 500
    assert (stored.outcome, stored.processed_at) == ("received", None)
    assert not Payment.objects.exists()
    assert outcome(send(event(invoice.pk))) == (200, "processed", "")
    assert len(told) == 1


@pytest.mark.parametrize(
    "_case",
    [
        "no headers",
        "no id",
        "no timestamp",
        "no signature",
        "other body",
        "other id",
        "too old",
        "too new",
        "not base64",
        "no version",
        "empty version",
        "beyond ASCII",
        "timestamp in words",
        "timestamp nan",
        "long id",
        "id with a space",
    ],
)
def test_a_wrong_signature_leaves_no_trace(_case, invoice, told):
    body = event(invoice.pk)
    headers = signed(body)
    signature = headers["webhook-signature"]
    match _case:
        case "no headers":
            headers = {}
        case "no id" | "no timestamp" | "no signature":
            del headers[f"webhook-{_case.split()[1]}"]
        case "other body":
            body = event(invoice.pk, reference="pay_2")
        case "other id":
            headers["webhook-id"] = "evt_2"
        case "too old":
            headers = signed(body, age=timedelta(minutes=6))
        case "too new":
            headers = signed(body, age=timedelta(minutes=-6))
        case "not base64":
            headers["webhook-signature"] = "v1,x"
        case "no version":
            headers["webhook-signature"] = signature.removeprefix("v1,")
        case "empty version":
            headers["webhook-signature"] = signature.removeprefix("v1")
        case "beyond ASCII":
            headers["webhook-signature"] = "v1,\xff\xfe"
        case "timestamp in words":
            headers["webhook-timestamp"] = "now"
        case "timestamp nan":
            headers["webhook-timestamp"] = "nan"
        case "long id":
            headers = signed(body, event_id="e" * 256)
        case "id with a space":
            headers = signed(body, event_id="evt 1")

    response = send(body, headers)

    assert response.status_code == 400
    assert response.json()["errors"] == [
        {
            "code": "invalid_signature",
            "detail": "The webhook signature is missing, wrong or too old.",
            "attr": None,
        }
    ]
    assert not PaymentEvent.objects.exists()
    assert told == []


def test_one_right_signature_among_several_is_enough(invoice, told):
    headers = signed(event(invoice.pk))
    headers["webhook-signature"] = f"v1,AAAA {headers['webhook-signature']} v2,x"

    assert outcome(send(event(invoice.pk), headers)) == (200, "processed", "")


def test_a_signature_of_another_secret_is_wrong(invoice, settings):
    headers = webhooks.sign(
        secret="whsec_" + "B" * 43 + "=",
        event_id="evt_1",
        body=event(invoice.pk),
        now=datetime.now(tz=UTC),
    )

    assert send(event(invoice.pk), headers).status_code == 400
    assert not PaymentEvent.objects.exists()


@pytest.mark.parametrize("secret", ["", "whsec_"])
def test_an_empty_secret_proves_nothing(secret, invoice, settings, told):
    settings.PAYMENT_WEBHOOK_SECRETS = {"acme": secret}
    body = event(invoice.pk)
    headers = signed(body)
    message = f"evt_1.{headers['webhook-timestamp']}.".encode() + body
    forged = hmac.new(b"", message, "sha256").digest()
    headers["webhook-signature"] = f"v1,{b64encode(forged).decode()}"

    with nothing_written():
        response = send(body, headers)

    assert response.status_code == 500
    assert told == []


def test_a_body_that_is_no_text_is_refused(db):
    response = send(b"\xff\xfe", signed(b"{}"))

    assert response.status_code == 400
    assert not PaymentEvent.objects.exists()


@pytest.mark.parametrize("body", [b"[" * 60_000, b'"\0"', b"null", b"{}"])
def test_a_signed_body_that_says_nothing_is_rejected(body, db):
    assert outcome(send(body, signed(body))) == (200, "rejected", "malformed_event")


def test_an_enormous_body_is_refused(db):
    body = b"x" * 65_537

    response = send(body, signed(body))

    assert response.status_code == 413
    assert response.json()["errors"][0]["code"] == "body_too_large"
    assert not PaymentEvent.objects.exists()


def test_an_empty_body_is_refused(db):
    assert send(b"", {}).status_code == 400


@pytest.mark.parametrize("gateway", ["nowhere", "manual", "ACME", "x" * 5000, "%00"])
def test_an_unknown_gateway_is_404(gateway, invoice):
    response = send(event(invoice.pk), path=f"/api/payments/webhook/{gateway}")

    assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert not PaymentEvent.objects.exists()


def test_the_demo_gateway_is_unknown_when_it_is_off(invoice, settings):
    settings.DEMO_GATEWAY = False

    response = send(event(invoice.pk), path="/api/payments/webhook/demo")

    assert response.status_code == 404


def test_one_gateways_event_ids_are_not_anothers(invoice, told):
    send(event(uuid4()), path="/api/payments/webhook/demo")

    assert outcome(send(event(invoice.pk))) == (200, "processed", "")


def test_a_client_token_is_no_signature(invoice, client, speak_as):
    response = speak_as(client).post(
        PATH, event(invoice.pk), content_type="application/json"
    )

    assert response.status_code == 400


def test_a_refused_message_of_affiliates_stays_on_the_row(invoice, monkeypatch):
    def refuse(event, *, now):
        raise InvalidInput("currency_mismatch", "Every line in one currency.")

    monkeypatch.setattr(services, "invoice_paid", refuse)

    assert outcome(send(event(invoice.pk))) == (200, "rejected", "currency_mismatch")
    assert not Payment.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_one_event_sent_100_times_in_a_race_pays_once(invoice, told):
    body = event(invoice.pk)
    headers = signed(body)

    twice = at_once(
        RACERS, lambda number: [outcome(send(body, headers)) for _ in range(2)]
    )

    assert twice == [[(200, "processed", "")] * 2] * RACERS
    assert Payment.objects.count() == 1
    assert PaymentEvent.objects.count() == 1
    assert len(told) == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_racing_payments_one_is_kept(invoice, told):
    def pay(number: int) -> tuple[int, str, str]:
        body = event(invoice.pk, reference=f"pay_{number}")
        return outcome(send(body, signed(body, event_id=f"evt_{number}")))

    answers = at_once(20, pay)

    assert answers.count((200, "processed", "")) == 1
    assert answers.count((200, "rejected", "already_paid")) == 19
    assert Payment.objects.count() == 1


def test_a_second_refund_under_the_reference_of_the_first_is_rejected(invoice, told):
    """Said to be done, the rest of the money would stay with the affiliate."""
    send(event(invoice.pk))
    first = event(invoice.pk, "payment.refunded", reference="re_1", amount="5.00")
    rest = event(invoice.pk, "payment.refunded", reference="re_1", amount="5.71")

    assert outcome(send(first, signed(first, "evt_2"))) == (200, "processed", "")
    assert outcome(send(rest, signed(rest, "evt_3"))) == (
        200,
        "rejected",
        "reference_used",
    )

    invoice.refresh_from_db()
    assert (invoice.status, Refund.objects.count()) == ("partly_refunded", 1)
