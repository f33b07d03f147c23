"""Codes of affiliates that clients type in place of a coupon."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from affiliates.errors import InvalidInput
from affiliates.referrals.models import OrderReferral
from portal.billing.services import mark_paid
from portal.orders.models import Order
from tests.factories.affiliates import AffiliateFactory
from tests.factories.plans import CouponCodeFactory
from tests.factories.portal import (
    CouponFactory,
    OrderFactory,
    OrderItemFactory,
    convert_order,
)
from tests.portal.orders.test_coupons_api import path

EXPIRED = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def order(client) -> Order:
    return OrderItemFactory(order=OrderFactory(client=client)).order


@pytest.fixture
def affiliate(brand, other_client):
    return AffiliateFactory(brand=brand, user=other_client, code="ada")


@pytest.fixture
def ada10(affiliate, brand):
    CouponCodeFactory(affiliate=affiliate, code="ADA10")
    return CouponFactory(brand=brand, code="ADA10")


def codes(order: Order) -> tuple[object, ...]:
    order.refresh_from_db()
    return (order.coupon, order.percent_off, order.affiliate_code, order.coupon_refusal)


@pytest.mark.parametrize(
    ("_case", "text", "fields", "refusal"),
    [
        ("an affiliate's own code", " Ada ", {}, ""),
        (
            "a coupon that has expired",
            "ada10",
            {"valid_until": EXPIRED},
            "coupon_expired",
        ),
        ("a coupon that has ended", "ada10", {"is_active": False}, "coupon_ended"),
    ],
)
def test_code_without_a_usable_coupon_is_kept_without_a_discount(
    _case, text, fields, refusal, client, order, ada10, affiliate, speak_as
):
    for name, value in fields.items():
        setattr(ada10, name, value)
    ada10.save()
    api = speak_as(client)

    answer = api.post(path(order), {"code": text}, format="json")

    data = answer.json()["data"]
    assert answer.status_code == 200
    assert data["coupon"] is None
    assert (data["affiliate_code"], data["coupon_refusal"]) == (text.strip(), refusal)
    assert data["totals"]["discount"]["amount"] == "0.00"
    converted = api.patch(f"/api/orders/{order.pk}/convert", {}, format="json")
    assert converted.status_code == 200
    referral = OrderReferral.objects.get()
    assert (referral.affiliate, referral.reason) == (affiliate, "typed")


def test_coupon_and_code_take_each_others_place(client, order, ada10, speak_as):
    api = speak_as(client)

    api.post(path(order), {"code": "ada10"}, format="json")
    assert codes(order) == (ada10, 10, "", "")
    api.post(path(order), {"code": "ada"}, format="json")
    assert codes(order) == (None, 0, "ada", "")
    api.post(path(order), {"code": "nobody"}, format="json")
    assert codes(order) == (None, 0, "ada", "")
    api.delete(path(order))
    assert codes(order) == (None, 0, "", "")


@pytest.fixture
def paid_before(client, invoice_of, now) -> None:
    mark_paid(invoice_id=invoice_of(client).pk, now=now)


@pytest.mark.usefixtures("paid_before")
def test_coupon_for_new_clients_takes_nothing_off_for_others(
    client, brand, order, ada10, speak_as
):
    ada10.for_new_clients = True
    ada10.save()
    CouponFactory(brand=brand, code="WELCOME", for_new_clients=True)
    api = speak_as(client)

    refused = api.post(path(order), {"code": "welcome"}, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "coupon_for_new_clients"
    assert codes(order) == (None, 0, "", "")

    api.post(path(order), {"code": "ada10"}, format="json")
    assert codes(order) == (None, 0, "ada10", "coupon_for_new_clients")


def test_second_basket_with_a_coupon_for_new_clients_is_refused_once_one_is_paid(
    client, order, ada10, invoice_of, now
):
    ada10.for_new_clients = True
    ada10.save()
    order.coupon, order.percent_off = ada10, 10
    order.save()
    mark_paid(invoice_id=invoice_of(client).pk, now=now)

    with pytest.raises(InvalidInput, match="for new clients. Take it off"):
        convert_order(
            order_id=order.pk, client_id=client.pk, payment_details_id=None, now=now
        )


def test_new_client_uses_it(client, order, ada10, speak_as):
    ada10.for_new_clients = True
    ada10.save()

    speak_as(client).post(path(order), {"code": "ADA10"}, format="json")

    assert codes(order) == (ada10, 10, "", "")
