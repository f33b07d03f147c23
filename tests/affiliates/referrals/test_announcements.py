"""What outsiders hear of an order's referral."""

from __future__ import annotations

import pytest

from affiliates.referrals.models import OrderReferral
from affiliates.referrals.services import override_order
from affiliates.signals import referral_recorded
from tests.affiliates.referrals.test_services import click, convert, cookie_of


@pytest.fixture
def heard():
    told: list[dict] = []

    def listen(**arguments):
        told.append({name: arguments[name] for name in ("subject", "key", "data")})

    referral_recorded.connect(listen)
    yield told
    referral_recorded.disconnect(listen)


@pytest.fixture
def client(host, brand):
    return host.client(brand, email="client@example.com")


def test_a_conversion_is_told_once_however_often_it_is_repeated(
    host, client, affiliate, now, heard, django_capture_on_commit_callbacks
):
    cookie = cookie_of(click(affiliate, now))
    order_ref = host.order(client)

    with django_capture_on_commit_callbacks(execute=True):
        first = convert(host, client, order_ref, now, cookie=cookie)
        again = convert(host, client, order_ref, now, cookie=cookie)

    assert first == again
    referral = OrderReferral.objects.get()
    assert heard == [
        {
            "subject": f"order:{order_ref}",
            "key": f"order:{order_ref}",
            "data": {
                "order_ref": order_ref,
                "invoice_ref": referral.invoice_ref,
                "outcome": "credited",
                "reason": "last_click",
                "affiliate": affiliate.code,
                "converted_at": referral.converted_at.isoformat(),
            },
        }
    ]


def test_staffs_assignment_is_told_as_a_fact_of_its_own(
    host, client, affiliate, now, heard, django_capture_on_commit_callbacks
):
    order_ref = host.order(client)
    convert(host, client, order_ref, now)
    referral = OrderReferral.objects.get()

    with django_capture_on_commit_callbacks(execute=True):
        override_order(
            referral_id=referral.pk,
            affiliate_id=affiliate.pk,
            reason="Their client on the phone.",
            actor_id=client.pk,
            now=now,
        )

    [told] = heard
    override = referral.overrides.get()
    assert told["key"] == f"order:{order_ref}:{override.pk}"
    assert told["data"]["outcome"] == "credited"
    assert told["data"]["reason"] == "staff"
    assert told["data"]["affiliate"] == affiliate.code
