"""Lives of subscriptions and events that go another way than most."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from affiliates.contrib.stripe import services
from affiliates.contrib.stripe.models import StripeEvent
from tests.affiliates.contrib.stripe import samples
from tests.affiliates.contrib.stripe.samples import after, line
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.django_db


def first_invoice(now):
    return samples.invoice(1, [line(1000, now)], now, reason="subscription_create")


@pytest.fixture
def sold(send, buyer, cookie, now, program):
    """An order whose first payment of 10.00 is known by its payment intent."""
    send(samples.session(str(buyer.pk), cookie, now))
    send(first_invoice(now))
    send(samples.invoice_payment(1, now))


def states() -> list[tuple[str, str]]:
    return list(StripeEvent.objects.order_by("pk").values_list("type", "state"))


def test_a_change_from_free_to_paid_begins_the_first_paid_term(
    send, buyer, cookie, now, program, earned
):
    changed = now + timedelta(days=10)
    renewed = after(changed, 1)
    free, paid = [line(0, now)], [line(1000, changed)]
    send(samples.session(str(buyer.pk), cookie, now))

    send(samples.invoice(1, free, now, reason="subscription_create"))
    send(samples.invoice(2, paid, changed, reason="subscription_update"))
    send(samples.invoice(3, [line(1000, renewed)], renewed))

    assert earned() == {"in_1": 0, "in_2": 200, "in_3": 100}


@pytest.mark.parametrize("order", ["12", "21"])
def test_usage_of_the_term_before_hides_no_missing_invoice(
    order, brand, send, buyer, cookie, now, earned
):
    rates = [(20, 0, 0), (10, 1, 1), (5, 2, None)]
    rules = [
        {"percent": percent, "position_from": begins, "position_to": ends}
        for percent, begins, ends in rates
    ]
    CommissionPlanFactory(brand=brand, is_default=True, rules=rules)
    terms = [after(now, number) for number in range(3)]
    renewals = {
        str(number): samples.invoice(
            number + 1,
            [
                line(1000, terms[number]),
                line(100, terms[number - 1], number=7, until=terms[number]),
            ],
            terms[number],
        )
        for number in (1, 2)
    }
    send(samples.session(str(buyer.pk), cookie, now))
    send(first_invoice(now))

    for number in order:
        send(renewals[number])

    assert earned() == {"in_1": 200, "in_2": 110, "in_3": 55}


def test_events_of_the_wrong_mode_count_once_the_setting_is_right(
    send, buyer, cookie, now, program, earned, settings
):
    settings.AFFILIATES_STRIPE_LIVEMODE = False
    events = [samples.session(str(buyer.pk), cookie, now), first_invoice(now)]
    assert [send(event) for event in events] == [200, 200]
    assert {state for _, state in states()} == {"ignored"}

    settings.AFFILIATES_STRIPE_LIVEMODE = True
    assert [send(event) for event in events] == [200, 200]

    assert earned() == {"in_1": 200}


def by_email(customer):
    return by_email.clients.get(customer.email)


def fails(customer):
    raise KeyError(customer.customer)


def test_a_session_that_waits_keeps_the_client_that_the_host_found(
    send, buyer, cookie, now, program, earned, settings
):
    by_email.clients = {"bob@example.com": str(buyer.pk)}
    settings.AFFILIATES_STRIPE_CLIENT = f"{__name__}.by_email"

    send(samples.session("", cookie, now, invoice=None))
    assert "bob@" not in json.dumps(StripeEvent.objects.get().payload)
    send(first_invoice(now))

    assert earned() == {"in_1": 200}


def test_metadata_of_the_host_is_not_stored(send, now):
    metadata = {"customer": "bob@example.com", "description": "Bob Buyer"}

    send(samples.session("", "", now, metadata=metadata))

    assert "ob" not in json.dumps(StripeEvent.objects.get().payload["metadata"])


def test_an_event_whose_function_of_the_host_fails_is_kept(
    send, buyer, cookie, now, program, earned, settings
):
    settings.AFFILIATES_STRIPE_CLIENT = f"{__name__}.fails"

    assert send(samples.session(str(buyer.pk), cookie, now)) == 200
    assert send(first_invoice(now)) == 200

    refused = StripeEvent.objects.get(state="refused")
    assert refused.reason == "KeyError, see logs."
    settings.AFFILIATES_STRIPE_CLIENT = ""
    services.apply_again(event_ids=[refused.pk], now=timezone.now())
    assert earned() == {"in_1": 200}


@pytest.mark.parametrize("refunds_first", [True, False])
def test_a_credit_note_counts_although_its_refund_failed(
    refunds_first, sold, send, now, earned
):
    failed = samples.refund(1, 600, now, "failed", status="failed")
    note = samples.credit_note(1, {"il_1": 500}, now, refund=("re_1", 600))
    send(samples.refund(1, 600, now))

    for event in [failed, note] if refunds_first else [note, failed]:
        send(event)

    assert earned() == {"in_1": 100}


def test_reinstated_funds_are_given_back_whatever_the_dispute_says(
    sold, send, now, earned
):
    send(samples.dispute(1, 1200, now, "funds_withdrawn"))
    assert earned() == {"in_1": 0}

    send(samples.dispute(1, 1200, now, "funds_reinstated", status="lost"))

    assert earned() == {"in_1": 200}


def test_a_secret_that_is_no_list_signs_with_the_whole_of_it(
    send, settings, brand, now
):
    settings.AFFILIATES_STRIPE_SECRETS = {brand.pk: "whsec_abc"}

    assert send(samples.refund(9, 100, now), secret="w") == 400
    assert send(samples.refund(9, 100, now), secret="whsec_abc") == 200


def test_a_secret_of_no_brand_is_answered(send, settings, brand, now):
    settings.AFFILIATES_STRIPE_SECRETS = {brand.pk + 1: ["whsec_abc"]}

    status = send(
        samples.refund(9, 100, now), secret="whsec_abc", brand_id=brand.pk + 1
    )

    assert (status, StripeEvent.objects.count()) == (404, 0)


def test_a_waiting_invoice_is_kept_until_the_job_applies_it(
    send, buyer, cookie, now, program, earned, settings
):
    settings.AFFILIATES_KEEP_DELIVERIES_DAYS = 2
    third = after(now, 2)
    send(samples.session(str(buyer.pk), cookie, now))
    send(first_invoice(now))
    send(samples.invoice(3, [line(1000, third)], third))

    services.delete_old(now=timezone.now() + timedelta(days=3))
    later = timezone.now() + timedelta(days=4, minutes=1)
    services.apply_overdue(lambda: later, lambda: False)

    assert earned() == {"in_1": 200, "in_3": 100}


def test_each_waiting_event_is_applied_once(
    send, now, buyer, cookie, program, earned, monkeypatch
):
    applied, attempt = [], services._attempt

    def count(row, *arguments, **options):
        applied.append(row.event_id)
        return attempt(row, *arguments, **options)

    monkeypatch.setattr(services, "_attempt", count)
    weeks = [now + timedelta(weeks=number) for number in range(12)]
    for number in range(10, 0, -1):
        lines = [line(1000, weeks[number], until=weeks[number + 1])]
        send(samples.invoice(number + 1, lines, weeks[number]))
    applied.clear()

    lines = [line(1000, weeks[0], until=weeks[1])]
    send(samples.invoice(1, lines, now, reason="subscription_create"))

    assert len(applied) <= 2 * len(weeks)
