"""What the webhook stores, refuses and ignores."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from affiliates.contrib.stripe.models import StripeEvent, StripeInvoice
from affiliates.contrib.stripe.services import apply_overdue, delete_old
from affiliates.contrib.stripe.signature import is_signed
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment
from tests.affiliates.contrib.stripe import samples
from tests.affiliates.contrib.stripe.conftest import SECRET
from tests.affiliates.contrib.stripe.samples import after, line, seconds, sign
from tests.cases import each
from tests.database import nothing_written

pytestmark = pytest.mark.django_db
NOT_STOPPING = lambda: False  # noqa: E731 - a job's argument


def state_of(event) -> tuple[str, str]:
    return StripeEvent.objects.values_list("state", "reason").get(event_id=event["id"])


def first(now, **fields):
    return samples.invoice(
        1, [line(1000, now)], now, reason="subscription_create", **fields
    )


def seen(customer):
    """The host's function of the tests."""
    ids = {"cus_1": "1", "cus_gone": None}
    return ids[customer.customer] and f"{customer.metadata.get('account', '')}"


@each(
    ("_case", "secret", "age", "expected"),
    [
        ("the first of two", SECRET, 0, True),
        ("the second of two", "whsec_old", 0, True),
        ("another", "whsec_other", 0, False),
        ("empty", "", 0, False),
        ("old", SECRET, 301, False),
        ("ahead", SECRET, -301, False),
        ("late", SECRET, 299, True),
    ],
)
def test_a_signature_is_of_a_secret_and_recent(secret, age, expected, now):
    header = sign(b"{}", secret, timestamp=seconds(now) - age)

    assert is_signed(b"{}", header, [SECRET, "whsec_old"], now=now) is expected
    assert not is_signed(b"{ }", header, [SECRET, "whsec_old"], now=now)


@each(
    "header", ["", "t=,v1=", "v1=aa", "t=1", "t=x,v1=aa", "t=٣,v1=é", "t=" + "9" * 40]
)
def test_what_is_no_signature_is_refused(header, now):
    assert not is_signed(b"{}", header, [SECRET], now=now)


def test_a_signature_that_openssl_computed_is_known():
    digest = "a0c091828640f0b68061abc7c03981ad1100ff7160c5dba6b656239494a2b537"
    now = datetime.fromtimestamp(1_700_000_000, UTC)
    header = f"t=1700000000,v0=00,v1={'0' * 64},v1={digest}"

    assert is_signed(b'{"id": "evt_1"}', header, ["whsec_test"], now=now)


def test_what_stripe_has_not_signed_writes_nothing(send, buyer, cookie, now, settings):
    event = samples.session(str(buyer.pk), cookie, now)

    with nothing_written():
        assert send(event, secret="whsec_of_somebody_else") == 400
        settings.AFFILIATES_STRIPE_SECRETS = {}
        assert send(event) == 400
        settings.AFFILIATES_STRIPE_SECRETS = {1: [""], 2: [SECRET]}
        assert send(event, secret="") == 400
        assert Client().get("/api/stripe/1").status_code == 405


@each(
    "body", [b"", b"[]", b"{}", b"\xff", b'{"id": 1}', b'{"id": "' + b"e" * 65 + b'"}']
)
def test_a_signed_text_that_is_no_event_writes_nothing(body, brand):
    header = sign(body, SECRET, timestamp=seconds(timezone.now()))

    with nothing_written():
        answer = Client().post(
            f"/api/stripe/{brand.pk}",
            body,
            content_type="application/json",
            headers={"Stripe-Signature": header},
        )

    assert answer.status_code == 400


def test_a_type_that_is_not_read_is_not_stored(send, now):
    with nothing_written():
        assert send(samples.event("customer.created", {"id": "cus_1"}, now)) == 200


@each(
    ("fields", "reason"),
    [
        ({"livemode": False}, "AFFILIATES_STRIPE_LIVEMODE is True: other mode."),
        ({"account": "acct_1"}, "Of a connected account."),
    ],
)
def test_events_of_others_are_ignored(fields, reason, send, now):
    event = first(now) | fields

    assert send(event) == 200

    assert state_of(event) == ("ignored", reason)
    assert not InvoicePayment.objects.exists()


@each(
    ("client_id", "reason"),
    [
        ("", "The portal knows no client of the customer."),
        ("987654321", "The client is not known."),
    ],
)
def test_a_client_that_the_host_does_not_know_is_refused(
    client_id, reason, send, cookie, now, program
):
    event = samples.session(client_id, cookie, now)

    assert send(event) == 200

    state, said = state_of(event)
    assert state == "refused"
    assert said
    assert not OrderReferral.objects.exists()


def test_the_hosts_function_finds_the_client(
    send, buyer, cookie, now, settings, program
):
    settings.AFFILIATES_STRIPE_CLIENT = f"{__name__}.seen"
    metadata = {"referral_cookie": cookie, "account": str(buyer.pk)}

    send(samples.session("somebody", "", now, metadata=metadata))

    assert OrderReferral.objects.get().client_id == buyer.pk


def test_an_applied_event_keeps_no_field(send, buyer, cookie, now, program, earned):
    event = samples.session(str(buyer.pk), cookie, now)

    send(event)
    send(first(now))

    assert StripeEvent.objects.filter(payload={}).count() == 2
    assert earned() == {"in_1": 200}


@each("shape", samples.SHAPES)
def test_an_event_waits_and_says_for_what(shape, send, now):
    event = samples.refund(9, 100, now)
    note = samples.credit_note(9, {"il_1": 100}, now, shape=shape)

    send(event)
    send(note)

    rows = StripeEvent.objects.filter(event_id__in=[event["id"], note["id"]])
    assert {(row.state, row.waits_for) for row in rows} == {
        ("waiting", "pi_9"),
        ("waiting", "in_9"),
    }


def test_a_gap_is_given_up_after_four_days(send, buyer, cookie, now, program, earned):
    """The invoice of the month between was never paid."""
    third = after(now, 2)
    send(samples.session(str(buyer.pk), cookie, now))
    send(first(now))
    late = samples.invoice(3, [line(1000, third)], third)
    send(late)
    assert state_of(late)[0] == "waiting"

    later = timezone.now() + timedelta(days=4, minutes=1)
    said = apply_overdue(lambda: later, NOT_STOPPING)

    assert said == "1 events of Stripe applied."
    assert state_of(late)[0] == "applied"
    assert earned() == {"in_1": 200, "in_3": 100}
    assert list(
        StripeInvoice.objects.values_list("number", "position").order_by("pk")
    ) == [
        (0, 0),
        (1, 1),
    ]


def test_a_payment_without_an_invoice_is_sold_and_refunded(
    send, buyer, cookie, now, program, earned
):
    bought = samples.session(
        str(buyer.pk),
        cookie,
        now,
        mode="payment",
        subscription=None,
        invoice=None,
        payment_intent="pi_1",
        payment_status="unpaid",
    )
    paid = samples.event(
        "checkout.session.async_payment_succeeded",
        bought["data"]["object"] | {"payment_status": "paid"},
        now,
    )

    send(samples.refund(1, 600, now))
    send(bought)
    assert earned() == {}
    send(paid)

    assert earned() == {"pi_1": 100}


def test_a_lost_dispute_takes_all_and_an_open_one_nothing(
    send, buyer, cookie, now, program, earned
):
    send(samples.session(str(buyer.pk), cookie, now))
    send(first(now))
    send(samples.invoice_payment(1, now))

    opened = samples.dispute(1, 1200, now, "created")
    send(opened)
    assert (state_of(opened), earned()) == (
        ("ignored", "No money has moved yet."),
        {"in_1": 200},
    )
    send(samples.dispute(1, 1200, now, "closed", status="lost"))

    assert earned() == {"in_1": 0}


@each(
    ("_case", "events", "left"),
    [
        ("a refund that failed", ("created", "failed"), 200),
        ("that was cancelled, before it is known", ("updated", "created"), 200),
        ("in two parts", ("created", "second"), 50),
    ],
)
def test_refunds_add_up_and_failed_ones_do_not_count(
    events, left, send, brand, affiliate, now, host, program, earned
):
    from tests.affiliates.host_events.cookies import click_of, cookie_of

    number = OrderReferral.objects.count() + 1
    buyer = host.client(brand, email=f"buyer{number}@example.com")
    cookie = cookie_of(click_of(affiliate, now - timedelta(days=1)))
    sub, ref = f"sub_{number}0", f"in_{number}0"
    send(samples.session(str(buyer.pk), cookie, now, subscription=sub, invoice=ref))
    details = {"subscription_details": {"subscription": sub}}
    send(first(now, parent=details, id=ref, payment_intent=f"pi_{number}0"))
    kinds = {
        "created": samples.refund(1, 600, now),
        "failed": samples.refund(1, 600, now, "failed", status="failed"),
        "updated": samples.refund(1, 600, now, "updated", status="canceled"),
        "second": samples.refund(1, 300, now, id=f"re_{number}1"),
    }
    for name in events:
        thing = kinds[name]["data"]["object"]
        thing |= {"payment_intent": f"pi_{number}0", "id": f"{thing['id']}{number}"}
        send(kinds[name])

    assert earned()[ref] == left


def test_charges_of_old_versions_list_their_refunds(
    send, buyer, cookie, now, program, earned
):
    refund = samples.refund(1, 600, now)["data"]["object"]
    charge = {"id": "ch_1", "invoice": "in_1", "refunds": {"data": [refund]}}
    send(samples.session(str(buyer.pk), cookie, now))
    send(first(now))

    send(samples.event("charge.refunded", charge, now))
    unnamed = samples.event("charge.refunded", charge | {"refunds": None}, now)
    send(unnamed)

    assert earned() == {"in_1": 100}
    assert state_of(unnamed)[0] == "ignored"


def test_a_voided_credit_note_takes_nothing(send, buyer, cookie, now, program, earned):
    send(samples.session(str(buyer.pk), cookie, now))
    send(samples.credit_note(1, {"il_1": 500}, now, "voided"))
    send(samples.credit_note(1, {"il_1": 500}, now))

    send(first(now))

    assert earned() == {"in_1": 200}


def test_a_change_to_less_pays_nothing_and_the_balance_is_credit(
    send, buyer, cookie, now, program, earned
):
    second = after(now, 1)
    send(samples.session(str(buyer.pk), cookie, now))
    send(first(now))
    middle = now + timedelta(days=10)
    less = [line(-500, middle, until=second, is_proration=True)]
    send(samples.invoice(2, less, middle, reason="subscription_update"))
    balance = {"starting_balance": -600, "ending_balance": 0}
    send(samples.invoice(3, [line(1000, second)], second, **balance))

    assert [row.invoice_ref for row in InvoicePayment.objects.order_by("pk")] == [
        "in_1",
        "in_3",
    ]
    assert InvoicePayment.objects.get(invoice_ref="in_3").lines[0]["credit"] == "5.00"


def test_an_unreadable_event_is_refused_with_its_fields(send, now):
    event = first(now, total=None)

    assert send(event) == 200

    state, reason = state_of(event)
    assert (state, reason[:18]) == ("refused", "Not as documented:")
    assert StripeEvent.objects.get().payload["id"] == "in_1"


def test_a_file_of_events_is_replayed(
    brand, buyer, cookie, now, program, earned, tmp_path
):
    events = [first(now), samples.session(str(buyer.pk), cookie, now)]
    events.append(samples.event("customer.created", {"id": "cus_1"}, now))
    file = tmp_path / "events.json"
    file.write_text(json.dumps({"object": "list", "data": events}))
    out = StringIO()

    for _ in range(2):
        call_command("affiliates_stripe_replay", file, "--brand", brand.pk, stdout=out)

    assert out.getvalue() == "Applied: 2\nNot read: 1\n" * 2
    assert earned() == {"in_1": 200}


def test_old_events_are_deleted(send, now):
    send(samples.refund(9, 100, now))

    assert delete_old(now=timezone.now() + timedelta(days=29)) == 0
    assert delete_old(now=timezone.now() + timedelta(days=31)) == 1
    assert not StripeEvent.objects.exists()
